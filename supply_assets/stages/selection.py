"""The selected articles of a task with everything a plan needs, and the proof that each may be planned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from resources.databases.supply_store.articles.candidates import CandidateRow, candidates_by_id
from resources.databases.supply_store.articles.scores import ScoreRow, read_selected_scores


@dataclass(frozen=True)
class SelectedArticle:
    """A candidate that ranking selected, and its score."""

    candidate: CandidateRow
    score: ScoreRow


def read_selection(connection: Connection, task_ids: Sequence[str]) -> dict[str, list[SelectedArticle]]:
    """Selected articles of each task in rank order, by three statements; of the others nothing is read."""
    selection: dict[str, list[SelectedArticle]] = {task_id: [] for task_id in task_ids}
    chosen = read_selected_scores(connection, task_ids)
    candidates = candidates_by_id(connection, [row.candidate_id for row in chosen])
    for score in sorted(chosen, key=lambda row: (row.task_id, row.rank_no or 0)):
        selection[score.task_id].append(SelectedArticle(candidates[score.candidate_id], score))
    return selection


def open_ends(selection: Sequence[SelectedArticle], read: set[int]) -> list[str]:
    """Why an article may not be planned; empty where every one of them closes (S-006, S-030).

    ``read`` holds the candidates whose page was read.
    """
    return [reason for article in selection if (reason := _open_end(article, read)) is not None]


def without_evidence(selection: Sequence[SelectedArticle]) -> list[str]:
    """Selected articles that do not carry what asked for them (S-006)."""
    return [
        f"candidate {article.candidate.id} carries no source evidence"
        for article in selection
        if not (article.score.score_detail or {}).get("source_evidence")
    ]


def without_account(selection: Sequence[SelectedArticle]) -> list[str]:
    """Why an article cannot be planned by its account: nobody knows whose it is."""
    return [
        f"candidate {article.candidate.id} has no account"
        for article in selection
        if not (article.candidate.account_name or article.candidate.biz_info or article.candidate.account_id)
    ]


def _open_end(article: SelectedArticle, read: set[int]) -> str | None:
    candidate, score = article.candidate, article.score
    if score.filter_status != "PASS":
        return f"candidate {candidate.id} is selected and filtered: {score.filter_reason}"
    if candidate.is_deleted or candidate.quality_flag in ("REJECT", "REJECTED", "HELD"):
        return f"candidate {candidate.id} is {candidate.quality_flag}: {candidate.reject_reason}"
    if not (candidate.raw_payload or {}).get("link_resolved", True):
        return f"candidate {candidate.id} has only a link that expires"
    if candidate.id not in read:
        return f"candidate {candidate.id} was never read"
    return None
