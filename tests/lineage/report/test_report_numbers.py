"""The numbers of a report are those of the stores, and its state is the worst that holds (S-006, D-073)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from statistics import quantiles

import pandas as pd
import pytest

from lineage.report.chains import chain_part
from lineage.report.numbers import NothingToReport, Report, ReportState, require_content
from lineage.report.page import funnel_bars
from lineage.report.records import PUBLISHES
from resources.databases.demand_store.statements import read_labels
from resources.databases.supply_store.tables import supply_task_event
from resources.databases.supply_store.tasks.tasks import tasks_of_batch
from resources.foundation.errors import FactsUnreadable
from tests.lineage.report.conftest import Reporting
from tests.resources.databases.supply_store.supply_rows import statements_of
from tests.small_facts import FactWorld
from tests.supply_chain import HOME, PRICES, SupplyChain, of_post, request

TASK, SCORE = "supply_task", "supply_content_score"


def counted(report: Report) -> dict[str, int | None]:
    return {step.name: step.number for step in (*report.demand_steps, *report.supply_steps)}


def broken_rules(report: Report) -> dict[str, tuple[int, int]]:
    assert report.demand is not None
    return {v.rule_id: (v.holds, v.breaks) for v in report.demand.verdicts if v.breaks}


def test_s006_a_finished_batch_is_closed_and_its_funnel_is_what_the_tables_hold(
    finished: SupplyChain, reporting: Reporting
) -> None:
    report = reporting(finished)
    of_batch = {task.task_id for task in finished.read(lambda connection: tasks_of_batch(connection, "581"))}
    rows = {
        table: [row for row in of_table if row.get("task_id") in of_batch]
        for table, of_table in finished.tables().items()
    }
    assert counted(report) == {
        "itemsets": 3,
        "proposed": None,
        "accepted": None,
        "published": 3,
        "taken_in": 3,
        "tasks": 3,
        "candidates": len(rows["supply_candidate_content"]),
        "read": len(rows["supply_content_feature"]),
        "passed": sum(row["filter_status"] == "PASS" for row in rows[SCORE]),
        "selected": sum(row["is_selected"] for row in rows[SCORE]),
        "plan_items": sum(row["input_count"] for row in rows["supply_crawler_plan"]),
        "plans": 3,
    }
    assert (report.state, report.exit_code, report.chains.broken) == (ReportState.CLOSED, 0, set())
    assert sum(report.supply.filtered.values()) == sum(row["filter_reason"] is not None for row in rows[SCORE])
    total = next(spread for spread in report.supply.spreads if spread.score == "total_score")
    assert (sum(total.passed), sum(total.selected)) == (counted(report)["passed"], counted(report)["selected"])
    json.dumps(report.as_json(), allow_nan=False)


def test_s012_calls_are_timed_by_the_events_of_the_batch_alone(any_chain: SupplyChain, reporting: Reporting) -> None:
    any_chain.publish(of_post("p1"))
    [task] = any_chain.take_in().tasks
    [other] = any_chain.ask(request()).tasks
    took = [10, 20, 30, 40, 1_000]
    ended = [("TOOL_RESULT", task, ms) for ms in took] + [("ERROR", task, 50), ("TOOL_RESULT", other, 9_999)]
    event_row = {"tool_name": "weixin_search", "stage_name": "RECALL", "event_level": "INFO", "request_id": "r"}
    rows = [
        event_row
        | {"task_id": of.task_id, "event_type": kind, "event_payload": {"duration_ms": ms, "provider": "house"}}
        for kind, of, ms in ended
    ]
    without = [
        {"event_type": "RETRY", "event_payload": {"duration_ms": 7}},
        {"event_type": "ERROR", "event_payload": 1},
    ]
    rows += [event_row | {"task_id": task.task_id} | one for one in without]
    any_chain.supply.write(lambda connection: connection.execute(supply_task_event.insert(), rows))
    supply = reporting(any_chain).supply
    [tool] = supply.tools
    assert (tool.tool, tool.calls, tool.errors, tool.median_ms, tool.p95_ms) == ("weixin_search", 6, 1, 30, 1_000)
    assert tool.median_ms <= quantiles([*took, 50], n=2)[0]
    assert [(call.duration_ms, call.failed) for call in supply.slowest][:2] == [(1_000, False), (50, True)]
    assert {call.provider for call in supply.slowest} == {"house"}


def test_d073_a_published_row_that_was_altered_turns_the_report_red_by_its_rule(
    finished: SupplyChain, reporting: Reporting
) -> None:
    def raise_support(row: dict[str, object]) -> None:
        row["ext_data"]["evidence_pack"]["support"] = 0.9  # type: ignore[index]

    finished.alter_row(1, raise_support)
    finished.alter_row(2, lambda row: row.update(ext_data="{"))
    report = reporting(finished)
    assert (report.state, report.exit_code) == (ReportState.BROKEN, 1)
    assert broken_rules(report) == {"D-034": (1, 1), "D-053": (2, 1)}
    assert report.demand is not None
    assert "0.9" in next(v.first[0] for v in report.demand.verdicts if v.rule_id == "D-034")
    assert len(report.chains.broken) == 2
    assert [chain.closed for chain in report.chains.kept] == [False, False, True]


def test_s006_broken_chains_are_kept_before_closed_ones_and_all_are_counted(finished: SupplyChain) -> None:
    tasks = [task.task_id for task in finished.read(lambda connection: tasks_of_batch(connection, "581"))]
    finished.alter_json(TASK, "ext", 3, lambda ext: ext | {"source_evidence": {}})
    part = chain_part(tasks, finished.supply, finished.demands, finished.facts.open, most=4)
    assert [chain.task_id for chain in part.kept] == [tasks[2]] == list(part.broken)
    assert (part.chains, part.articles, part.chains_left_out, part.articles_left_out) == (3, 12, 2, 8)


def test_the_statements_of_a_report_do_not_grow_with_its_tasks(chain: SupplyChain, reporting: Reporting) -> None:
    def statements() -> int:
        with statements_of(chain.supply) as sent:
            reporting(chain)
        return len(sent)

    chain.publish(of_post("p1"))
    chain.take_in()
    of_one = statements()
    chain.publish(of_post("p2"), of_post("p3"), PRICES)
    chain.take_in()
    assert len(chain.tables()[TASK]) == 4
    assert statements() == of_one


def test_s025_what_waits_for_a_person_is_told_with_its_reason(finished: SupplyChain, reporting: Reporting) -> None:
    held = {"state": "HELD", "by": "李梅", "reason": "look again", "at": "2026-12-01T08:00:00+08:00"}
    frozen = {"reason": "support fell", "rule_id": "D-034", "at": "2026-12-01T03:00:00+00:00"}
    finished.alter_json(TASK, "ext", 1, lambda ext: ext | {"review": held, "frozen": frozen})
    finished.supply.write(
        lambda connection: connection.exec_driver_sql(
            "UPDATE supply_task SET status = 'FAILED', current_stage = 'RANK', error_code = 'gone' WHERE id = 1"
        )
    )
    finished.supply.write(
        lambda connection: connection.exec_driver_sql(
            "UPDATE supply_demand_snapshot SET expected_count = 9 WHERE id = 2"
        )
    )
    report = reporting(finished)
    assert report.state is ReportState.ATTENTION
    assert [(s.state, s.said, s.by) for s in report.supply.stopped] == [
        ("HELD", "look again", "李梅"), ("FROZEN", "support fell", "D-034"),
    ]  # fmt: skip
    assert report.supply.errors == {"gone": 1}
    [short] = report.supply.shortfalls
    assert (short.task.wanted, short.task.selected) == (9, 4)
    assert short.reasons[0].name == "found"


def test_s001_requests_from_outside_need_no_facts_and_have_no_demand_half(
    finished: SupplyChain, reporting: Reporting, tmp_path: Path
) -> None:
    (tmp_path / HOME / "facts.db").rename(tmp_path / "gone.db")
    report = reporting(finished, "adhoc-test")
    assert (report.demand, report.demand_steps, report.state) == (None, [], ReportState.CLOSED)
    assert report.chains.plans == 1


def test_a_batch_of_which_nothing_is_there_is_refused_and_says_what_the_facts_have(
    chain: SupplyChain, reporting: Reporting
) -> None:
    for batch, said in {"581": "3 itemsets", "9": "no execution 9", "adhoc-none": "no task of batch"}.items():
        report = reporting(chain, batch)
        assert report.state is ReportState.NOTHING
        with pytest.raises(NothingToReport, match=said) as refused:
            require_content(report)
        assert refused.value.exit_code == 2


def test_d042_facts_that_cannot_be_read_make_no_report(
    chain: SupplyChain, reporting: Reporting, sqlite_world: FactWorld
) -> None:
    sqlite_world.alter("DROP TABLE pattern_itemset")
    with pytest.raises(FactsUnreadable):
        reporting(chain)


def manifest(execution_id: int, mode: str, accepted: int, label: str = "other") -> str:
    counts = {"proposed": 9, "accepted": accepted, "duplicates": 1, "rejected_by_code": {"itemset_not_found": 3}}
    asked = {"config": {"execution_id": execution_id}, "output_mode": mode, "run_label": label}
    return json.dumps(asked | {"counts": counts})


def test_d067_decisions_are_read_where_they_are_recorded_and_a_run_that_publishes_comes_before_a_trial(
    chain: SupplyChain, reporting: Reporting, tmp_path: Path
) -> None:
    runs = tmp_path / "test_output_data"
    for name, content in {
        "published": manifest(581, "mysql_demand_content", 5),
        "trial": manifest(581, "local_json", 2),
        "other": manifest(582, "mysql_demand_content", 7),
        "damaged": "{",
    }.items():
        (runs / name).mkdir(parents=True)
        (runs / name / "run_manifest.json").write_text(content)
    report = reporting(chain)
    assert (counted(report)["proposed"], counted(report)["accepted"]) == (9, 5)
    assert report.unreadable == ["damaged/run_manifest.json"]
    for asset, frame in {
        "rejected_demands": pd.DataFrame({"reject_code": ["scope_not_topic"]}),
        "candidate_demands": pd.DataFrame({"seq": [1, 2, 3]}),
        "validated_demands": pd.DataFrame({"seq": [1]}),
        "demand_content": pd.DataFrame(
            {"output_mode": ["mysql_demand_content"], "run_label": ["framed"], "run_folder": ["of-frames"]}
        ),
        "demand_snapshots": pd.DataFrame({"state": ["refused", "taken"], "rule_id": ["D-034", None]}),
    }.items():
        (tmp_path / HOME / "frames" / asset).mkdir(parents=True)
        frame.to_parquet(tmp_path / HOME / "frames" / asset / "581.parquet")
    report = reporting(chain)
    assert report.demand is not None
    assert report.demand.decisions is not None
    assert (report.demand.decisions.rejected_by_code, report.demand.decisions.duplicates) == ({"scope_not_topic": 1}, 1)
    assert report.supply.refused_by_rule == {"D-034": 1}


def test_s006_every_step_of_a_funnel_counts_the_runs_of_one_label_and_none_is_above_all_of_the_step_before(
    finished: SupplyChain, reporting: Reporting, tmp_path: Path
) -> None:
    """433 %: what one run proposed and accepted stood above the rows of all runs of the execution."""
    with finished.demands.reading() as connection:
        rows = Counter(read_labels(connection, 581).values())
    runs = tmp_path / "test_output_data"
    manifests = {label.replace(":", ""): manifest(581, PUBLISHES, of_label, label) for label, of_label in rows.items()}
    (again, of_first), *_ = rows.items()
    manifests |= {
        "again": manifest(581, PUBLISHES, 1, again),
        "elsewhere": manifest(581, PUBLISHES, 4, "without-rows"),
        "trial": manifest(581, "local_json", 9, again),
    }
    for name, content in manifests.items():
        (runs / name).mkdir(parents=True)
        (runs / name / "run_manifest.json").write_text(content)
    report = reporting(finished)
    funnels = {found.label: dict(found.steps) for found in report.by_label}
    assert set(funnels) == {*rows, "without-rows"}
    assert {label: funnels[label]["published"] for label in rows} == rows
    assert (funnels[again]["proposed"], funnels[again]["accepted"]) == (18, of_first + 1)
    assert funnels["without-rows"] == dict.fromkeys(funnels[again], 0) | {"proposed": 9, "accepted": 4}
    for step in ("proposed", "accepted", "published", "taken_in", "tasks", "selected", "plans"):
        assert sum(funnel[step] or 0 for funnel in funnels.values()) == counted(report)[step], step
    for steps in (report.demand_steps, report.supply_steps, *(found.steps for found in report.by_label)):
        assert all(int(bar.share.rstrip("%") or 0) <= 100 for bar in funnel_bars(steps))

    (runs / again.replace(":", "") / "run_manifest.json").unlink()
    (runs / "again" / "run_manifest.json").unlink()
    report = reporting(finished)
    assert (counted(report)["proposed"], counted(report)["accepted"]) == (None, None), "a run is not recorded here"
    assert {found.label: dict(found.steps)["published"] for found in report.by_label}[again] == of_first
    json.dumps(report.as_json(), allow_nan=False)
