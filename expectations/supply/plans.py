"""Suites of ``crawler_plans`` and ``supply_results``: what was selected is planned once and told (S-025 … S-029)."""

from __future__ import annotations

from expectations.engine.rules import one_of, rows_exist
from expectations.supply.plans_frames import CHILD_TABLES, PLAN_ITEMS, PLANNED_TASKS, PLANS, RESULTS
from expectations.supply.pool import RUN_AGAIN
from expectations.supply.rules import agreeing, among, between, clocks_agree, shaped, suite
from expectations.supply.task_standing import ACCOUNTED, CANCELLED, DONE, FAILED, FROZEN, HELD

_TWO = "a task owns two plan rows: withdraw one plan on the platform and delete its row"
_MISSING = "run the batch again: a plan that the platform has is adopted, else it is created"
_PLAN = "the plan row was altered: compare it with the platform's plan of that id"
_ITEM = "plan and selection differ: withdraw the plan on the platform and run the task again with --force"
_EVIDENCE = "the plan carries other evidence than its task: run `pattern2plan trace --crawler-plan-id`"
_RESULT = "the result was altered after it was told: read the plan and the scores, which stand"
_ORPHANS = "tasks were deleted and their rows were not: delete the rows too"

PLAN_SUITES = (
    suite(
        "complete",
        PLANNED_TASKS,
        "Each task has come to a plan, has nothing to plan, or stopped and says why.",
        rows_exist("S-028"),
        one_of("S-005", "standing", ACCOUNTED, RUN_AGAIN),
    ),
    suite(
        "shape",
        PLANS,
        "Each plan row is of a known kind and state, and counts the items that it holds.",
        rows_exist("S-028"),
        among("S-028", "plan_type", ["BY_CONTENT", "BY_ACCOUNT"], _PLAN),
        among("S-028", "plan_status", ["INTENDED", "CREATED", "FAILED", "BIND_SUCCESS", "BIND_FAILED"], _PLAN),
        among("S-028", "bind_status", ["NOT_REQUIRED", "SUCCESS", "FAILED"], _PLAN),
        among("S-040", "platform", ["weixin"], _PLAN),
        between("S-028", "input_count", 1, None, _PLAN),
        agreeing("S-028", "input_count", "items", _PLAN),
        shaped("S-028", "plan_name", r"^[^∅]", _PLAN),
        among("S-041", ("request_kind", "response_kind"), ["object"], _PLAN),
        among("S-028", "id_said", [True], _MISSING),
        clocks_agree(),
    ),
    suite(
        "closure",
        PLANNED_TASKS,
        "A task owns at most one plan, and every task past this stage that selected something has one.",
        rows_exist("S-028"),
        between("S-028", "plan_rows", 0, 1, _TWO),
        among("S-028", "plan", ["planned", "nothing selected"], _MISSING),
    ),
    suite(
        "closure",
        PLANS,
        "Each plan is its task's alone and carries its evidence.",
        rows_exist("S-028"),
        agreeing("S-028", "request_task", "task", _PLAN),
        agreeing("S-006", "evidence", "task_evidence", _EVIDENCE),
        between("S-028", "tasks_of_id", 1, 1, "two tasks name one plan of the platform: run one of them with --force"),
    ),
    suite(
        "closure",
        PLAN_ITEMS,
        "Every item of a plan was selected, and everything selected is in the plan.",
        rows_exist("S-028"),
        among("S-006", ("selected", "planned"), [True], _ITEM),
    ),
)
RESULT_SUITES = (
    suite(
        "complete",
        RESULTS,
        "Each task is completed with a result, or stopped and says why.",
        rows_exist("S-029"),
        one_of("S-029", "standing", [DONE, FAILED, HELD, FROZEN, CANCELLED], RUN_AGAIN),
    ),
    suite(
        "shape",
        RESULTS,
        "Each result lists what was selected, and explains what is missing.",
        rows_exist("S-029"),
        among("S-029", "result_kind", ["object"], _RESULT),
        between("S-025", "shortfall", 0, 200, _RESULT),
        among("S-025", "shortfall_explained", [True], _RESULT),
        clocks_agree(),
    ),
    suite(
        "closure",
        RESULTS,
        "Each result tells the plan and the selection that stand.",
        rows_exist("S-029"),
        agreeing("S-029", "task_id", "result_task_id", _RESULT),
        agreeing("S-029", "trace_id", "result_trace_id", _RESULT),
        agreeing("S-029", "plan_id", "result_plan_id", _RESULT),
        agreeing("S-029", "selection", "result_selection", _RESULT),
        agreeing("S-025", "missing", "shortfall", _RESULT),
    ),
    suite(
        "closure",
        CHILD_TABLES,
        "Each event, attempt, candidate, account, page, score and plan written since has its task.",
        rows_exist("S-012"),
        between("S-012", "rows_without_task", 0, 0, _ORPHANS),
    ),
    suite(
        "shortfall",
        RESULTS,
        "Each task found as many articles as were wanted; a failed one found none.",
        rows_exist("S-025"),
        between(
            "S-025", "wanting", 0, 0, "too few good articles: shortfall_explained of the result, or the task's error"
        ),
    ),
)
