"""What a batch came to: the record of FINALIZE, the numbers of each task, the exit code (S-025, S-029)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from resources.databases.supply_store.states import Stage
from resources.databases.supply_store.tasks.stage_rows import stage_history
from resources.foundation import strict_json
from supply_assets.orchestration.frames import plan_frame, result_frame, score_frame
from supply_assets.tasks.batch_report import BatchReport, TaskReport, report_batch
from tests.supply_chain import SupplyChain, request

DONE = TaskReport(
    task_id="t1",
    demand_id=7,
    query="猫",
    status="COMPLETED",
    stage="FINALIZE",
    pool=20,
    read=10,
    passed=8,
    selected=3,
    wanted=3,
    crawler_plan_id="cp-1",
    error_code=None,
    error_message=None,
    review=None,
)


def task_ids(place: SupplyChain) -> list[str]:
    return [row["task_id"] for row in place.tables()["supply_task"]]


def test_s029_the_record_names_task_trace_plan_and_what_was_selected(finished: SupplyChain) -> None:
    tables = finished.tables()
    plans = {row["task_id"]: row for row in tables["supply_crawler_plan"]}
    for task in tables["supply_task"]:
        history = finished.read(lambda connection, task=task: stage_history(connection, [task["task_id"]]))
        [record] = [row.output_payload for row in history if row.stage_name == Stage.FINALIZE]
        assert (record["task_id"], record["trace_id"]) == (task["task_id"], task["trace_id"])
        assert record["crawler_plan_id"] == plans[task["task_id"]]["crawler_plan_id"]
        assert [entry["rank_no"] for entry in record["selected"]] == list(range(1, len(record["selected"]) + 1))
        sent = plans[task["task_id"]]["request_payload"]
        if sent["plan_type"] == "BY_CONTENT":
            assert [entry["url"] for entry in record["selected"]] == [content["url"] for content in sent["contents"]]


def test_s029_the_record_is_a_row_of_the_result_table(finished: SupplyChain) -> None:
    ids = task_ids(finished)
    frame = finished.read(lambda connection: result_frame(connection, ids))
    plans = finished.read(lambda connection: plan_frame(connection, ids))
    of_task = plans.set_index("task_id")["crawler_plan_id"].to_dict()
    assert frame.set_index("task_id")["crawler_plan_id"].to_dict() == of_task
    assert frame["selected"].tolist() == [4, 4, 4, 3]
    for row in frame.to_dict("records"):
        assert strict_json.loads(row["result"])["task_id"] == row["task_id"]


def test_s025_a_shortfall_is_counted_and_explained(chain: SupplyChain, cats: str) -> None:
    [task] = chain.ask(request(expected_count=200, quality_constraints={"banned_words": ["指南"]})).tasks
    chain.run([task])
    report = report_batch(chain.supply, [task.task_id], 0)
    history = chain.read(lambda connection: stage_history(connection, [task.task_id]))
    record = history[-1].output_payload
    assert record["shortfall"] == report.shortfall == 200 - len(record["selected"])
    assert record["shortfall"] > 0
    explained = record["shortfall_explained"]
    assert explained["by_filter"]["banned_word"] > 0
    assert set(explained) == {"by_filter", "duplicates", "over_account_quota", "ended_searches"}
    assert explained["ended_searches"]
    assert report.exit_code == 1


def test_s029_the_funnel_runs_from_demands_to_plans(finished: SupplyChain) -> None:
    report = report_batch(finished.supply, task_ids(finished), refused=2)
    funnel = list(report.funnel.values())
    assert list(report.funnel) == ["demands", "tasks", "candidates", "read", "passed", "selected", "plans"]
    assert (funnel[0], funnel[1], funnel[-2], funnel[-1]) == (6, 4, 15, 4)
    assert funnel[2] >= funnel[3] >= funnel[4] >= funnel[5]
    assert report.by_status == {"COMPLETED": 4}
    scores = finished.read(lambda connection: score_frame(connection, task_ids(finished)))
    assert int(scores["is_selected"].sum()) == 15


def test_s029_a_report_is_strict_json(finished: SupplyChain) -> None:
    report = report_batch(finished.supply, task_ids(finished), refused=0)
    content = strict_json.loads(strict_json.dumps(report.as_json()))
    assert [task["shortfall"] for task in content["tasks"]] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("tasks", "refused", "code"),
    [
        ([DONE], 0, 0),
        ([DONE], 1, 1),
        ([DONE, replace(DONE, selected=2)], 0, 1),
        ([DONE, replace(DONE, status="FAILED")], 0, 1),
        ([DONE, replace(DONE, status="CANCELLED")], 0, 1),
        ([replace(DONE, status="RANKED", review="HELD")], 0, 1),
        ([], 0, 1),
    ],
)
def test_s025_only_a_batch_that_is_whole_ends_with_0(tasks: list[TaskReport], refused: int, code: int) -> None:
    assert BatchReport(tasks, refused).exit_code == code
