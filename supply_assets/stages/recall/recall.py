"""RECALL: search page by page until the pool is large enough or there is nothing left to ask (S-020, S-025).

Every page is kept as it comes, with the place to go on from: a page that fails for good loses nothing before it, and
the next attempt starts at that page (field report GW9).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from resources.calls.outcomes.answers import Absent, Code, Unknown
from resources.databases.supply_store.articles.candidates import candidate_identities, upsert_candidates
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tasks.stage_rows import stage_history
from resources.tool_gateway.results.models import SearchPage, SearchRequest
from supply_assets.stages.recall.candidate_rows import Found, PageRows, page_rows
from supply_assets.stages.recall.keywords import Keyword, keywords_of
from supply_assets.stages.stage import Attempt, StageEnd, StageFailed

REFUSALS = frozenset({Code.BAD_ARGUMENT, Code.NOT_PERMITTED, Code.WRONG_SHAPE, Code.UNREADABLE})


@dataclass
class Recalling:
    """The state of a recall over its attempts and cycles; what :meth:`output` gives is enough to go on from."""

    keywords: list[Keyword]
    target: int
    limit: int
    position: int = 0
    page: int = 1
    known: set[str] = field(default_factory=set)
    of_keyword: set[str] = field(default_factory=set)
    pages: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    ended: dict[str, str] = field(default_factory=dict)
    failure: Unknown | None = None

    @property
    def enough(self) -> bool:
        return len(self.known) >= self.target

    @property
    def exhausted(self) -> bool:
        return self.position >= len(self.keywords)

    def next_keyword(self, reason: str) -> None:
        self.ended[self.keywords[self.position].text] = reason
        self.position, self.page = self.position + 1, 1
        self.of_keyword = set()

    def output(self) -> dict[str, Any]:
        """Summary of the stage; ``next`` is where another attempt or cycle begins."""
        return {
            "candidates": len(self.known),
            "pages": self.pages,
            "next": {"keyword": self.position, "page": self.page},
            "keywords": len(self.keywords),
            "exhausted": self.exhausted,
            "ended": self.ended,
            "left_out": dict(self.left_out),
            "partial": None if self.failure is None else {"code": self.failure.code, "message": self.failure.message},
        }


async def recall(attempt: Attempt) -> StageEnd:
    """Fill the pool.

    Raises:
        StageFailed: nothing could be searched and the pool is too small to go on with.
    """
    state = await _where_it_stopped(attempt)
    while not (state.enough or state.exhausted or state.failure):
        await _one_page(attempt, state)
    if state.failure is not None and len(state.known) < attempt.wanted.expected_count:
        raise StageFailed(
            state.failure.code,
            f"search failed with {len(state.known)} candidates in the pool: {state.failure.message}",
            retryable=state.failure.retryable,
        )
    doubtful = [text for text, code in state.ended.items() if code == Code.SUSPICIOUS_EMPTY]
    if doubtful and len(state.known) < attempt.wanted.expected_count:
        raise StageFailed(
            Code.SUSPICIOUS_EMPTY, f"{len(doubtful)} searches were empty where hits were due", retryable=True
        )
    refusals = [code for code in state.ended.values() if code in REFUSALS]
    if refusals and not state.known:
        raise StageFailed(refusals[0], f"{len(refusals)} searches were refused by the platform", retryable=False)
    return StageEnd(TaskStatus.RECALL_DONE, Stage.ACCOUNT_ENRICH, state.output())


async def _where_it_stopped(attempt: Attempt) -> Recalling:
    policy, wanted, task_id = attempt.workshop.policy, attempt.wanted, attempt.task.task_id
    known, history = await attempt.workshop.read(
        lambda connection: (candidate_identities(connection, task_id), stage_history(connection, [task_id]))
    )
    earlier = [
        row.output_payload
        for row in history
        if row.stage_name == Stage.RECALL and row.id != attempt.row_id and row.output_payload
    ]
    state = Recalling(
        keywords=keywords_of(wanted, policy),
        target=policy.pool_target(attempt.cycle, wanted.expected_count),
        limit=policy.pool_limit(attempt.cycle, wanted.expected_count),
        known=known,
    )
    if earlier:
        place = earlier[-1].get("next", {})
        state.position, state.page = int(place.get("keyword", 0)), int(place.get("page", 1))
        state.ended = dict(earlier[-1].get("ended", {}))
        _go_back_to_doubtful(state)
    return state


def _go_back_to_doubtful(state: Recalling) -> None:
    """A search that was empty where hits were due is asked again, and what follows it too (WX8)."""
    doubtful = [
        place
        for place, word in enumerate(state.keywords)
        if place < state.position and state.ended.get(word.text) == Code.SUSPICIOUS_EMPTY
    ]
    if doubtful:
        state.position, state.page = doubtful[0], 1
        for word in state.keywords[state.position :]:
            state.ended.pop(word.text, None)


async def _one_page(attempt: Attempt, state: Recalling) -> None:
    keyword, policy = state.keywords[state.position], attempt.workshop.policy
    request = SearchRequest(keyword=keyword.text, page=state.page, page_size=policy.page_size)
    answer = await attempt.workshop.gateway.search(attempt.scope, request)
    if isinstance(answer, Unknown):
        if answer.code is Code.SUSPICIOUS_EMPTY:
            state.next_keyword(answer.code)
        elif answer.retryable:
            state.failure = answer
        else:
            state.next_keyword(answer.code)
        return
    if isinstance(answer, Absent):
        state.next_keyword(answer.code)
        return
    found = Found(
        task_id=attempt.task.task_id,
        keyword=keyword.text,
        round_no=keyword.round_no,
        page=state.page,
        provider=answer.provider,
        request_id=answer.request_id,
    )
    rows = page_rows(answer.value.items, found, attempt.workshop.clock.now())
    fresh_here = set(rows.identities) - state.of_keyword
    _keep_within_limit(rows, state)
    state.pages += 1
    state.left_out.update(rows.left_out)
    state.known.update(rows.identities)
    state.of_keyword |= fresh_here
    _turn_page(state, answer.value, bool(fresh_here), policy.max_pages)
    await attempt.checkpoint(state.output(), lambda connection: upsert_candidates(connection, rows.rows))


def _keep_within_limit(rows: PageRows, state: Recalling) -> None:
    room = state.limit - len(state.known)
    kept = []
    for row in rows.rows:
        if row.dedup_hash in state.known:
            kept.append(row)
        elif room > 0:
            kept.append(row)
            room -= 1
        else:
            rows.left_out["beyond_pool"] += 1
    rows.rows = kept


def _turn_page(state: Recalling, page: SearchPage, brought_new: bool, max_pages: int) -> None:
    """A page that is empty, brings nothing new, or claims more without end stops this search (GW7)."""
    if not page.items:
        state.next_keyword("empty_page")
    elif not brought_new:
        state.next_keyword("repeated_page")
    elif not page.has_more:
        state.next_keyword("no_more")
    elif state.page >= max_pages:
        state.next_keyword("max_pages")
    else:
        state.page += 1
