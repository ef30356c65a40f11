"""One whole run over an existing execution: files, resume, mode, manifest (D-004, D-061, D-065, D-067)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from demand_assets.evidence.pack import check_row
from demand_assets.outputs.run_folder import RunFolder
from demand_assets.run.existing_execution import RunEnvironment, RunReport, run_execution
from demand_assets.run.request import make_request
from resources.databases.connections import open_store
from resources.databases.demand_store.migrate import upgrade
from resources.foundation.clock import FixedClock, RandomIds
from resources.foundation.errors import ExecutionNotUsable, OutputFailed, OutputRefused, SettingsError, StoreUnwritable
from resources.settings.demand import OutputMode, read_settings
from tests.counting_ids import CountingIds
from tests.small_facts import FactWorld, good_candidate

CLOCK = FixedClock(datetime(2026, 5, 31, 16, 0, tzinfo=UTC))
SEVEN = {
    "run_manifest.json",
    "demand_task.json",
    "demand_items.json",
    "rejected_demand_items.json",
    "demand_content.json",
    "dwd_multi_demand_pool_di.json",
    "feature_point_data.json",
}
HIDDEN = {".lock", ".dagster_run"}
FOLDERS = {"intermediate", ".trace", "output"}


def around() -> RunEnvironment:
    return RunEnvironment(read_settings(), clock=CLOCK, ids=CountingIds("trace"))


def local(resume: bool = False, **fields: Any) -> RunReport:
    request = {"execution_id": 581, "count": 2, "run_id": "run-1"} | fields
    return run_execution("local_json", make_request(**request), around(), resume=resume)


def read(report: RunReport, name: str) -> Any:
    return json.loads(report.run.folder.path(name).read_text())


def mixed_file(tmp_path: Path) -> str:
    """Five candidates: one that closes, the same again, two that do not close, one line that is no JSON."""
    good = good_candidate()
    lines = [good, good, good_candidate(refs={"itemset_ids": [9]}), good_candidate(element_names=["狗"])]
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\nnot json\n"
    return candidate_file(tmp_path, text)


def candidate_file(tmp_path: Path, text: str) -> str:
    folder = tmp_path / ".pattern2plan" / "proposals"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mixed.jsonl").write_text(text)
    return "file:mixed.jsonl"


def test_d061_a_run_leaves_the_seven_files_and_the_three_folders(sqlite_world: FactWorld, tmp_path: Path) -> None:
    report = local()
    root = tmp_path / "test_output_data" / "run-1"
    assert report.run.folder.root == root
    assert {path.name for path in root.iterdir() if path.is_file() and path.name not in HIDDEN} == SEVEN
    assert {path.name for path in root.iterdir() if path.is_dir()} == FOLDERS
    assert [check_row(row, "test").id for row in read(report, "demand_content.json")] == [1, 2]
    assert read(report, "demand_task.json")["simulated"] is True


def test_d061_no_run_id_gives_execution_and_timestamp(sqlite_world: FactWorld) -> None:
    assert local(run_id=None).run.folder.root.name == "execution_581_20260601T000000000000"


def test_d061_nothing_accepted_still_leaves_all_files(sqlite_world: FactWorld) -> None:
    report = local(execution_id=585)
    assert report.exit_code == 1
    assert all(report.run.folder.path(name).is_file() for name in SEVEN)
    assert read(report, "demand_content.json") == read(report, "feature_point_data.json") == []


def test_d061_the_same_run_twice_gives_the_same_bytes(sqlite_world: FactWorld) -> None:
    first, second = local(run_id="a"), local(run_id="b", run_label="a")
    for name in SEVEN - {"run_manifest.json"}:
        assert first.run.folder.path(name).read_bytes() == second.run.folder.path(name).read_bytes(), name


def test_d061_a_run_that_exists_is_refused_and_stays_as_it_is(sqlite_world: FactWorld) -> None:
    before = _digests(local().run.folder.root)
    with pytest.raises(OutputRefused, match="exists already"):
        run_execution(
            "local_json", make_request(execution_id=581, count=2, run_id="run-1"), replace(around(), ids=RandomIds())
        )
    with pytest.raises(OutputRefused, match="complete"):
        local(resume=True)
    assert _digests(local(run_id="other").run.folder.root.with_name("run-1")) == before


@pytest.mark.parametrize("cut_off_at", sorted(SEVEN))
def test_d061_a_run_cut_off_before_any_file_is_finished_by_resume(
    sqlite_world: FactWorld, monkeypatch: pytest.MonkeyPatch, cut_off_at: str
) -> None:
    def cut_off(folder: Any, name: str, content: bytes) -> Path:
        if name == cut_off_at:
            raise OutputFailed("cut off")
        return write_bytes(folder, name, content)

    write_bytes = RunFolder.write_bytes
    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "write_bytes", cut_off)
        with pytest.raises(OutputFailed, match="cut off"):
            local()
    resumed = local(resume=True)
    whole = local(run_id="whole", run_label="run-1")
    for name in SEVEN - {"run_manifest.json"}:
        assert resumed.run.folder.path(name).read_bytes() == whole.run.folder.path(name).read_bytes(), name


@pytest.mark.parametrize("execution_id", [999, 580, 583])
def test_d004_an_execution_that_is_not_usable_is_named_before_anything_is_written(
    sqlite_world: FactWorld, tmp_path: Path, execution_id: int
) -> None:
    with pytest.raises(ExecutionNotUsable, match=str(execution_id)):
        local(execution_id=execution_id)
    assert not (tmp_path / "test_output_data").exists()


def test_d062_only_the_global_tree_has_feature_points(sqlite_world: FactWorld) -> None:
    assert read(local(run_id="a"), "feature_point_data.json") != []
    assert read(local(run_id="b", execution_id=584), "feature_point_data.json") == []
    assert read(local(run_id="c", merge_level2="民生"), "feature_point_data.json") == []


def test_d062_no_file_but_the_content_and_the_ledgers_carries_evidence(sqlite_world: FactWorld) -> None:
    report = local()
    for name in ("dwd_multi_demand_pool_di.json", "feature_point_data.json"):
        text = report.run.folder.path(name).read_text()
        assert not any(word in text for word in ("evidence", "itemset", "post_id", "p1", "support")), name
    strategies = {row["strategy"] for row in read(report, "dwd_multi_demand_pool_di.json")}
    assert strategies == {"当下供需gap", "当下供需gap-分词"}


def test_d065_the_variable_cannot_choose_another_mode_than_the_entry_point(
    sqlite_world: FactWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upgrade(open_store(read_settings()))
    request = make_request(execution_id=581, run_id="run-1")
    modes: tuple[OutputMode, OutputMode] = ("local_json", "mysql_demand_content")
    for variable, other in (modes, modes[::-1]):
        monkeypatch.setenv("DEMAND_OUTPUT_MODE", variable)
        with pytest.raises(SettingsError, match=f"DEMAND_OUTPUT_MODE is {variable}.*writes {other}"):
            run_execution(other, request, around())
        assert not (tmp_path / "test_output_data").exists()
        named = request.model_copy(update={"run_id": variable})
        assert run_execution(variable, named, around()).run.mode == variable
        (tmp_path / "test_output_data" / variable).rename(tmp_path / f"kept-{variable}")
        (tmp_path / "test_output_data").rmdir()


def test_d063_without_the_table_nothing_is_written(sqlite_world: FactWorld, tmp_path: Path) -> None:
    with pytest.raises(StoreUnwritable, match="db upgrade"):
        run_execution("mysql_demand_content", make_request(execution_id=581, run_id="run-1"), around())
    assert not (tmp_path / "test_output_data").exists()


def test_d063_in_the_table_mode_the_task_id_is_null_and_the_manifest_says_why(sqlite_world: FactWorld) -> None:
    upgrade(open_store(read_settings()))
    report = run_execution("mysql_demand_content", make_request(execution_id=581, run_id="run-1", count=2), around())
    manifest = read(report, "run_manifest.json")
    assert manifest["demand_task_id"] is None
    assert "no demand_task row exists" in manifest["demand_task_id_note"]
    assert [row.ext_data.evidence_pack.demand_task_id for row in report.rows] == [None, None]
    assert {path.name for path in report.run.folder.root.glob("*.json")} == {"run_manifest.json"}


def test_d067_the_counts_of_the_manifest_add_up_and_agree_with_the_files(
    sqlite_world: FactWorld, tmp_path: Path
) -> None:
    report = local(proposer=mixed_file(tmp_path), count=4)
    manifest = read(report, "run_manifest.json")
    counts = manifest["counts"]
    assert counts["proposed"] == counts["accepted"] + counts["rejected"] + counts["duplicates"] == 5
    assert (counts["accepted"], counts["duplicates"], counts["wanted"]) == (1, 1, 4)
    assert sum(counts["rejected_by_code"].values()) == counts["rejected"] == 3
    assert manifest["published"] == {"inserted": 1, "skipped": 0}
    assert (manifest["stop_reason"], report.exit_code) == ("file_used_up", 1)
    verdicts = [item["verdict"] for item in read(report, "demand_items.json")]
    assert verdicts == ["accepted", "duplicate", "rejected", "rejected", "rejected"]
    assert [item["seq"] for item in read(report, "rejected_demand_items.json")] == [3, 4, 5]
    assert len(read(report, "demand_content.json")) == counts["accepted"]


def test_d067_the_manifest_says_what_was_run_with_what(sqlite_world: FactWorld) -> None:
    manifest = read(local(seed=7, run_label="label-7"), "run_manifest.json")
    assert manifest["execution"]["id"] == manifest["config"]["execution_id"] == 581
    assert manifest["execution"]["status"] == "success"
    assert (manifest["config"]["seed"], manifest["run_label"]) == (7, "label-7")
    assert (manifest["proposer"], manifest["model"]) == ("rules", None)
    assert manifest["token_use"] == {"calls": 0, "input_tokens": 0, "output_tokens": 0}
    assert manifest["code_version"]
    assert manifest["settings"]["facts_backend"] == "sqlite"
    assert (manifest["stop_reason"], manifest["output_mode"]) == ("count_reached", "local_json")


def test_d067_the_manifest_has_the_hash_of_every_other_file(sqlite_world: FactWorld) -> None:
    report = local()
    manifest = read(report, "run_manifest.json")
    assert set(manifest["files"]) == set(_digests(report.run.folder.root)) - {"run_manifest.json"}
    assert manifest["files"] == {k: v for k, v in _digests(report.run.folder.root).items() if k != "run_manifest.json"}


def _digests(root: Path) -> dict[str, str]:
    files = [path for path in root.rglob("*") if path.is_file() and not path.name.startswith(".")]
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.real_server
def test_d067_no_secret_is_in_any_file_or_in_the_settings(
    postgres_world: FactWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    secret = "s3cr3t-Zq9"
    monkeypatch.setenv("PGVECTOR_DSN", postgres_world.url.set(password=secret).render_as_string(hide_password=False))
    monkeypatch.setenv("ARK_API_KEY", secret)
    upgrade(open_store(read_settings()))
    local(run_id="a")
    run_execution("mysql_demand_content", make_request(execution_id=581, run_id="b"), around())
    found = [str(path) for path in tmp_path.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
    assert found == []
    assert secret not in repr(read_settings())
    assert secret not in repr(asdict(around()))


def test_d043_a_secret_in_a_handed_in_line_stands_in_no_file(
    sqlite_world: FactWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMAND_CONTENT_MYSQL_DSN", "mysql://writer:dsn-Zq9%2Fpass@db/content")
    monkeypatch.setenv("PATTERN2PLAN_SECRETS_DIR", str(tmp_path / "secrets"))
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "VENDOR_KEY").write_text("mounted-Zq9")
    monkeypatch.setenv("SUPPLY_PLATFORM_TOKEN", "token-Zq9")
    lines = [
        good_candidate(reason="mounted-Zq9", refs={"source_post_id": "token-Zq9"}),
        good_candidate(element_names=["token-Zq9"]) | {"password": "named-Zq9", "note": "dsn-Zq9/pass"},
        {"element_names": "mounted-Zq9", "evidence_refs": {"case_ids": {"token-Zq9": 1}}},
        {"api_key": "line-Zq9"},
    ]
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    report = local(proposer=candidate_file(tmp_path, text + "\nPASSWORD=line-Zq9"), count=9)

    assert len(report.outcome.rejects) == 5
    for file in report.run.folder.root.rglob("*"):
        assert not file.is_file() or "Zq9" not in file.read_text(errors="replace"), file
