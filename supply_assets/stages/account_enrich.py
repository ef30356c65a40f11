"""ACCOUNT_ENRICH: who publishes each candidate (S-021).

Without an answer the stage goes on and says what is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from resources.calls.outcomes.answers import Absent, Answer, Code, Found
from resources.databases.supply_store.articles.candidates import CandidateHead, candidate_heads, update_candidates
from resources.databases.supply_store.articles.profiles import (
    NewProfile,
    ProfileRow,
    read_profiles_in_short,
    upsert_profiles,
)
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.tool_gateway.results.models import AccountInfo
from supply_assets.normalisation import texts
from supply_assets.normalisation.accounts import account_key, account_request, storable_id
from supply_assets.stages.as_they_come import keep_rows, keeping
from supply_assets.stages.stage import Attempt, StageEnd

GONE = frozenset({Code.MOVED, Code.CLOSED, Code.VIOLATION, Code.DELETED})


Said = tuple[str, Answer[AccountInfo]]


@dataclass
class _Asking:
    """Accounts that are asked for, by key with their candidates; what is known of the task's accounts, and of how many.

    What came of it is kept as it comes.
    """

    attempt: Attempt
    groups: dict[str, list[CandidateHead]]
    standing: list[NewProfile]
    states: Counter[str] = field(default_factory=Counter)

    async def ask(self, key: str) -> Said:
        request = account_request(self.groups[key][0])
        return key, await self.attempt.workshop.gateway.account(self.attempt.scope, request)

    async def keep(self, answered: Sequence[Said]) -> None:
        await keep_rows(self.attempt, self.states, self.rows_of(answered))

    def rows_of(self, answered: Sequence[Said]) -> Callable[[Connection], None]:
        """What writes some answers."""
        rows: list[NewProfile] = []
        updates: list[dict[str, Any]] = []
        for key, answer in answered:
            row = _profile(self.attempt.task.task_id, key, self.groups[key][0], answer)
            rows.append(row)
            updates += _updates(row, self.groups[key], answer)
            self.states[row.raw_profile_payload["state"]] += 1
        rows = _without_weaker(rows, self.standing)
        self.standing += rows

        def work(connection: Connection) -> None:
            upsert_profiles(connection, rows)
            update_candidates(connection, updates)

        return work


async def account_enrich(attempt: Attempt) -> StageEnd:
    """Ask for every account that is not known yet; each is kept as it comes."""
    task_id = attempt.task.task_id
    candidates, profiles = await attempt.workshop.read(
        lambda connection: (candidate_heads(connection, task_id), read_profiles_in_short(connection, [task_id]))
    )
    known = _by_key(profile for profile in profiles if state_of(profile) == "found" or is_gone(profile))
    groups, updates = _unasked(candidates, known)
    asking = _Asking(attempt, groups, list(profiles))
    last = await keeping(map(asking.ask, groups), asking.keep, attempt.workshop.policy.keep_within_s)
    rest = asking.rows_of(last)

    def work(connection: Connection) -> None:
        rest(connection)
        update_candidates(connection, updates)

    before = len({profile.account_id for profile in known.values()})
    output = {
        "accounts": before + len(asking.standing) - len(profiles),
        "already_known": before,
        "without_account": sum(account_key(candidate) is None for candidate in candidates),
        "coverage": dict(asking.states),
    }
    return StageEnd(TaskStatus.ENRICHED, Stage.ACCOUNT_PROFILE, output, work)


def _unasked(
    candidates: Sequence[CandidateHead], known: Mapping[str, ProfileRow]
) -> tuple[dict[str, list[CandidateHead]], list[dict[str, Any]]]:
    """Candidates by the key of an account that is not known yet, and what changes of those whose account is."""
    groups: dict[str, list[CandidateHead]] = {}
    updates: list[dict[str, Any]] = []
    for candidate in candidates:
        key = account_key(candidate)
        profile = known.get(key or "") or known.get(f"id:{candidate.account_id}")
        if profile is not None and is_gone(profile) and candidate.quality_flag == "UNKNOWN":
            updates.append(
                _attributed(candidate, profile) | {"quality_flag": "REJECT", "reject_reason": "account_gone"}
            )
        elif profile is not None and candidate.account_id != profile.account_id:
            updates.append(_attributed(candidate, profile))
        elif profile is None and key is not None:
            groups.setdefault(key, []).append(candidate)
    return groups, updates


def _without_weaker(rows: list[NewProfile], standing: Sequence[NewProfile]) -> list[NewProfile]:
    """Nobody's knowing never takes the place of what was said of the same account."""
    said = {profile.account_id for profile in standing if state_of(profile) != "unknown"}
    said |= {row.account_id for row in rows if row.raw_profile_payload["state"] != "unknown"}
    return [row for row in rows if row.raw_profile_payload["state"] != "unknown" or row.account_id not in said]


def state_of(profile: NewProfile) -> str:
    """found, absent or unknown."""
    return str((profile.raw_profile_payload or {}).get("state", "unknown"))


def is_gone(profile: ProfileRow) -> bool:
    """The platform says that the account was closed or moved: nothing of it is planned (field report WX12).

    It may say so when it is asked for the account, or only when it is asked for the account's articles.
    """
    payloads = (profile.raw_profile_payload or {}, profile.raw_history_payload or {})
    return any(payload.get("state") == "absent" and payload.get("code") in GONE for payload in payloads)


def refusal(answer: Absent) -> dict[str, Any]:
    """Columns of a candidate whose account is gone."""
    return {"quality_flag": "REJECT", "reject_reason": f"account_{answer.code.removeprefix('account_')}"}


def _by_key(profiles: Iterable[ProfileRow]) -> dict[str, ProfileRow]:
    """Profiles by every key that a candidate of theirs may have: the one that was asked for, ``biz``, id."""
    keys: dict[str, ProfileRow] = {}
    for profile in profiles:
        keys[str((profile.raw_profile_payload or {}).get("key", ""))] = profile
        keys[f"id:{profile.account_id}"] = profile
        if profile.biz_info:
            keys[f"biz:{profile.biz_info}"] = profile
    return keys


def _profile(task_id: str, key: str, first: CandidateHead, answer: Answer[AccountInfo]) -> NewProfile:
    if isinstance(answer, Found):
        info = answer.value
        return NewProfile(
            task_id=task_id,
            account_id=storable_id(info.account_id) or first.account_id or key,
            account_name=texts.cut(texts.display(info.account_name or first.account_name), 255) or None,
            biz_info=info.biz or first.biz_info,
            intro=texts.cut(texts.display(info.intro), 2000) or None,
            verify_status=info.verify_status,
            category=texts.cut(texts.display(info.category), 64) or None,
            raw_profile_payload=_payload("found", key, answer) | {"account": answer.value.model_dump(mode="json")},
        )
    state = "absent" if isinstance(answer, Absent) else "unknown"
    return NewProfile(
        task_id=task_id,
        account_id=first.account_id or key,
        account_name=first.account_name,
        biz_info=first.biz_info,
        raw_profile_payload=_payload(state, key, answer) | {"code": answer.code, "message": answer.message[:300]},
    )


def _payload(state: str, key: str, answer: Answer[AccountInfo]) -> dict[str, Any]:
    return {"state": state, "key": key, "provider": answer.provider, "request_id": answer.request_id}


def _updates(row: NewProfile, group: Sequence[CandidateHead], answer: Answer[AccountInfo]) -> list[dict[str, Any]]:
    """All candidates of an account carry the id under which its profile stands; a closed account's are refused."""
    updates = [_attributed(candidate, row) for candidate in group]
    if isinstance(answer, Absent) and answer.code in GONE:
        updates = [update | refusal(answer) for update in updates]
    return updates


def _attributed(candidate: CandidateHead, account: NewProfile) -> dict[str, Any]:
    """Only what changes; of most candidates the search has said it all."""
    said = {
        "account_id": account.account_id,
        "account_name": candidate.account_name or account.account_name,
        "biz_info": candidate.biz_info or account.biz_info,
    }
    return {"id": candidate.id} | {name: value for name, value in said.items() if value != getattr(candidate, name)}
