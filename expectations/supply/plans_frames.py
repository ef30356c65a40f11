"""Frames of ``crawler_plans`` and ``supply_results``: what was planned beside what was selected (S-028, S-029)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from expectations.engine.rules import KEY, NOTHING
from expectations.supply.batch_rows import CHILDREN, Batch, FrameRows, Row, fingerprint, item_rows
from expectations.supply.rules import NO_NUMBER
from expectations.supply.task_standing import is_past, task_row
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.databases.supply_store.tables import supply_candidate_content as candidate_table
from resources.databases.supply_store.tables import supply_content_score as score_table
from resources.databases.supply_store.tables import supply_crawler_plan as plan_table
from supply_assets.normalisation.accounts import platform_id

PLANNED_TASKS, PLANS, PLAN_ITEMS = "planned_tasks", "crawler_plans", "plan_items"
RESULTS, CHILD_TABLES = "supply_results", "child_tables"


def plan_frames(batch: Batch) -> FrameRows:
    """``planned_tasks``, ``crawler_plans`` and ``plan_items``, a row a task, a plan and an item."""
    plans, selection = _plans(batch), _selection(batch)
    tasks = [_planned(batch, task_id, plans[task_id], len(selection[task_id])) for task_id in plans]
    owners: dict[str, set[str]] = {}
    for row in (row for rows in plans.values() for row in rows if row["crawler_plan_id"]):
        owners.setdefault(row["crawler_plan_id"], set()).add(row["task_id"])
    items = {task_id: list(_items(task_id, of_task, selection[task_id])) for task_id, of_task in plans.items()}
    return {
        PLANNED_TASKS: tasks,
        PLANS: item_rows(plans, "plan", lambda row: _plan(batch, row, owners)),
        PLAN_ITEMS: item_rows(items, "item", dict),
    }


def _plans(batch: Batch) -> dict[str, list[Row]]:
    p = plan_table.c
    return batch.of_tasks(
        plan_table,
        *(p.platform, p.plan_type, p.input_count, p.crawler_plan_id, p.crawler_plan_name, p.produce_bind_status),
        *(p.plan_status, p.request_payload, p.created_at),
        batch.json_kind(p.response_payload).label("response_kind"),
    )


def _selection(batch: Batch) -> dict[str, list[dict[str, Any]]]:
    """Selected articles of each task in rank order, with their candidate's columns."""
    c, s = candidate_table.c, score_table.c
    pools = batch.of_tasks(candidate_table, c.url, c.title, c.account_id, c.account_name)
    candidates = {row["id"]: row for rows in pools.values() for row in rows}
    scores = batch.of_tasks(score_table, s.candidate_id, s.rank_no, s.total_score, s.is_selected)
    return {
        task_id: [
            {**candidates.get(row["candidate_id"], {}), **row}
            for row in sorted(rows, key=lambda row: row["rank_no"] or 0)
            if row["is_selected"]
        ]
        for task_id, rows in scores.items()
    }


def _planned(batch: Batch, task_id: str, plans: Sequence[Row], selected: int) -> dict[str, Any]:
    task = batch.tasks.get(task_id)
    row, _ = task_row(batch, task_id, Stage.CREATE_PLAN)
    row["plan_rows"] = len(plans)
    if task is None or not is_past(task, Stage.CREATE_PLAN):
        return row
    has_id = any(plan["crawler_plan_id"] for plan in plans)
    if selected:
        return row | {"plan": "planned" if has_id else f"{task['status']} with a selection and no plan"}
    return row | {"plan": f"{task['status']} with a plan of nothing" if plans else "nothing selected"}


def _plan(batch: Batch, row: Row, owners: Mapping[str, set[str]]) -> dict[str, Any]:
    request = row["request_payload"] if isinstance(row["request_payload"], dict) else {}
    made = row["plan_status"] not in ("INTENDED", "FAILED")
    return {
        **row,
        KEY: f"task {row['task_id']} plan row {row['id']}",
        "bind_status": row["produce_bind_status"],
        "items": len(_listed(request, row)),
        "plan_name": row["crawler_plan_name"] or NOTHING,
        "request_kind": "object" if request else NOTHING,
        "id_said": bool(row["crawler_plan_id"]) or not made,
        "ahead_s": batch.seconds_ahead(row["created_at"]),
        "task": batch.owner(row["task_id"]),
        "request_task": request.get("task_id") or NOTHING,
        "evidence": fingerprint(request.get("source_evidence")) or NOTHING,
        "task_evidence": fingerprint(batch.evidence_of(row["task_id"])),
        "tasks_of_id": len(owners[row["crawler_plan_id"]]) if row["crawler_plan_id"] else None,
    }


def _listed(request: Mapping[str, Any], row: Row) -> list[dict[str, Any]]:
    items = request.get("accounts" if row["plan_type"] == "BY_ACCOUNT" else "contents") or []
    return [item for item in items if isinstance(item, dict)]


def _items(task_id: str, plans: Sequence[Row], selection: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Every article or account that a plan holds or that was selected; both must be so."""
    for row in plans:
        by_account = row["plan_type"] == "BY_ACCOUNT"
        planned = {_named(item, by_account) for item in _listed(row["request_payload"] or {}, row)}
        selected = {_named(article, by_account) for article in selection}
        for item in sorted(planned | selected):
            key = f"task {task_id} plan row {row['id']}: {item}"
            yield {KEY: key, "item": item, "planned": item in planned, "selected": item in selected}


def _named(item: Mapping[str, Any], by_account: bool) -> str:
    """How a plan names an article or its account; an id that only stands in for the platform's names nothing."""
    if not by_account:
        return str(item.get("url") or NOTHING)
    return str(platform_id(item.get("account_id")) or item.get("account_name") or NOTHING)


def result_frames(batch: Batch) -> FrameRows:
    """``supply_results``: one row a task; ``child_tables``: one row a table whose rows belong to tasks."""
    plans, selection = _plans(batch), _selection(batch)
    rows = [_result(batch, task_id, plans[task_id], selection[task_id]) for task_id in plans]
    children = [{KEY: table.name, "rows_without_task": batch.rows_without_task(table)} for table in CHILDREN]
    return {RESULTS: rows, CHILD_TABLES: children if batch.task_ids else []}


def _result(batch: Batch, task_id: str, plans: Sequence[Row], selection: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    task = batch.tasks.get(task_id)
    row, output = task_row(batch, task_id, Stage.FINALIZE)
    row["wanting"] = _wanting(batch, task, len(selection))
    if task is None or task["status"] != TaskStatus.COMPLETED or output is None:
        return row
    snapshot = batch.snapshots.get(task["demand_snapshot_id"])
    listed = output.get("selected")
    articles = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    shortfall = output.get("shortfall", NO_NUMBER)
    return row | {
        "result_kind": "object" if isinstance(listed, list) else NOTHING,
        "shortfall": shortfall,
        "shortfall_explained": bool(output.get("shortfall_explained")) or not shortfall,
        "ahead_s": batch.seconds_ahead(task["finished_at"]),
        "task_id": task_id,
        "result_task_id": output.get("task_id") or NOTHING,
        "trace_id": task["trace_id"],
        "result_trace_id": output.get("trace_id"),
        "plan_id": plans[0]["crawler_plan_id"] if plans else None,
        "result_plan_id": output.get("crawler_plan_id"),
        "selection": _told(selection),
        "result_selection": _told(articles),
        "missing": max(0, snapshot["expected_count"] - len(selection)) if snapshot else NO_NUMBER,
    }


def _wanting(batch: Batch, task: Row | None, selected: int) -> int:
    """Articles that were wanted and will not come by themselves: a failed task has none, a held or frozen one waits."""
    snapshot = batch.snapshots.get(task["demand_snapshot_id"]) if task is not None else None
    if task is None or snapshot is None or task["status"] not in (TaskStatus.COMPLETED, TaskStatus.FAILED):
        return 0
    wanted: int = snapshot["expected_count"]
    return wanted if task["status"] == TaskStatus.FAILED else max(0, wanted - selected)


def _told(articles: Sequence[Mapping[str, Any]]) -> str:
    """Rank, candidate, link and total of each article in rank order, by which two selections are compared."""
    told = []
    for article in articles:
        total = article.get("total_score")
        facts = [article.get(name) for name in ("rank_no", "candidate_id", "url")]
        told.append("|".join(map(str, [*facts, NOTHING if total is None else f"{float(total):.2f}"])))
    return "\n".join(told)
