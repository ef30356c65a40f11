"""Power cuts and Ctrl-C: whatever the moment, nothing half-written, nothing doubled, and the next run finishes."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine
from sqlalchemy.engine import URL

from resources.databases.connections import open_store
from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.migrate import upgrade
from resources.settings.demand import read_settings
from sandbox.facts.facts_load import load_facts
from sandbox.sample.facts_sample import sample_fact_base
from tests.commands.cli_runner import RUN_LOCAL, RUN_MYSQL, Done, Running, start_cli, wait_for_file
from tests.real_servers import MARIADB, temporary_database
from tests.resources.databases.demand_store.plain_rows import asked
from tests.small_facts import FactWorld

KILLS = 6
SEVEN = 7
REACHED = Path("reached")
LOCAL = (*RUN_LOCAL, "--count", "2", "--run-id", "run-1")


@pytest.fixture
def place(sqlite_world: FactWorld) -> FactWorld:
    """The embedded default, complete."""
    upgrade(open_store(read_settings()))
    return sqlite_world


def stop_here() -> None:
    """Say that the moment is reached, then wait for the end."""
    REACHED.touch()
    time.sleep(60)


def stop_between_insert_and_update() -> None:
    from demand_assets.outputs import demand_content as sink

    def stop(*_: Any) -> None:
        stop_here()

    sink.write_ids_into_packs = stop


def stop_while_writing(name: str) -> None:
    """Half of the file's bytes are on disk, then nothing more."""
    from demand_assets.outputs.run_folder import RunFolder

    def half(folder: RunFolder, target: str, content: bytes) -> Path:
        if target != name:
            return whole(folder, target, content)
        aside = folder.path(target).with_name(f".{name}.{os.getpid()}.partial")
        aside.write_bytes(content[: len(content) // 2])
        stop_here()
        return aside

    whole = RunFolder.write_bytes
    RunFolder.write_bytes = half  # type: ignore[method-assign]


def stop_in_fsync_of_content() -> None:
    """The product's own write of demand_content.json, up to the moment before its rename."""

    def stop(descriptor: int) -> None:
        if ".demand_content.json" in str(Path(f"/proc/self/fd/{descriptor}").readlink()):
            stop_here()
        fsync(descriptor)

    fsync = os.fsync
    os.fsync = stop


def stop_in_propose() -> None:
    from demand_assets.proposers.rules import RulesProposer

    RulesProposer.propose = lambda *_: stop_here()  # type: ignore[assignment, method-assign]


def started(tmp_path: Path, arguments: tuple[str, ...], before: Callable[[], None], **environment: str) -> Running:
    """A run that has come to the moment at which ``before`` makes it stop."""
    running = start_cli(tmp_path, arguments, environment, before)
    wait_for_file(tmp_path / REACHED)
    return running


def finish(tmp_path: Path, arguments: tuple[str, ...], **environment: str) -> Done:
    return start_cli(tmp_path, arguments, environment).wait()


def standing_files(root: Path) -> list[Path]:
    """Files under their final names."""
    return [path for path in root.rglob("*") if path.is_file() and not path.name.startswith(".")]


def assert_every_file_is_whole(root: Path) -> None:
    for path in standing_files(root):
        if path.suffix == ".json":
            json.loads(path.read_bytes())


def assert_complete(root: Path) -> None:
    assert len(list(root.glob("*.json"))) == SEVEN
    hashes = json.loads((root / "run_manifest.json").read_text())["files"]
    found = {str(p.relative_to(root)): hashlib.sha256(p.read_bytes()).hexdigest() for p in standing_files(root)}
    assert hashes == {name: digest for name, digest in found.items() if name != "run_manifest.json"}


@pytest.mark.real_server
def test_d064_a_kill_between_insert_and_update_leaves_no_row_and_no_lock(place: FactWorld, tmp_path: Path) -> None:
    with temporary_database(MARIADB) as url:
        upgrade(DemandStore(url))
        dsn = url.render_as_string(hide_password=False)
        arguments = (*RUN_MYSQL, "--count", "2", "--run-label", "one")
        running = started(tmp_path, arguments, stop_between_insert_and_update, DEMAND_CONTENT_MYSQL_DSN=dsn)
        lock = DemandStore(url)._lock_name("one")
        assert asked(url, "SELECT IS_FREE_LOCK(:name)", name=lock) == [(0,)]
        assert asked(url, "SELECT count(*) FROM demand_content") == [(0,)]
        running.kill()
        assert asked(url, "SELECT count(*) FROM demand_content") == [(0,)]
        for second in (False, True):
            done = finish(tmp_path, (*arguments, "--json"), DEMAND_CONTENT_MYSQL_DSN=dsn)
            assert done.code == 0, done.err
            assert done.json["published"] == {"inserted": 2 * (not second), "skipped": 2 * second}
        assert asked(url, "SELECT IS_FREE_LOCK(:name)", name=lock) == [(1,)]
        path = "$.evidence_pack.demand_content_id"
        right = "SELECT count(*) FROM demand_content WHERE JSON_VALUE(ext_data, :path) = id"
        assert asked(url, right, path=path) == [(2,)]


def test_d064_a_kill_between_insert_and_update_of_the_embedded_store(place: FactWorld, tmp_path: Path) -> None:
    arguments = (*RUN_MYSQL, "--count", "2", "--run-label", "one")
    url = read_settings().store_url()
    started(tmp_path, arguments, stop_between_insert_and_update).kill()
    assert asked(url, "SELECT count(*) FROM demand_content") == [(0,)]
    done = finish(tmp_path, (*arguments, "--json"))
    assert done.json["published"] == {"inserted": 2, "skipped": 0}


def before_manifest() -> None:
    stop_while_writing("run_manifest.json")


def before_content() -> None:
    stop_while_writing("demand_content.json")


@pytest.mark.parametrize("moment", [stop_in_propose, before_content, stop_in_fsync_of_content, before_manifest])
def test_d061_a_kill_while_writing_leaves_whole_files_and_resume_finishes(
    place: FactWorld, tmp_path: Path, moment: Callable[[], None]
) -> None:
    started(tmp_path, LOCAL, moment).kill()
    root = tmp_path / "test_output_data" / "run-1"
    assert_every_file_is_whole(root)
    assert not (root / "run_manifest.json").exists()
    refused = finish(tmp_path, LOCAL)
    assert (refused.code, refused.error.split(":")[0]) == (2, "OutputRefused")
    assert finish(tmp_path, (*LOCAL, "--resume")).code == 0
    assert_complete(root)


def test_d061_what_a_killed_run_wrote_aside_is_gone_after_resume(place: FactWorld, tmp_path: Path) -> None:
    started(tmp_path, LOCAL, before_content).kill()
    assert finish(tmp_path, (*LOCAL, "--resume")).code == 0
    assert [path.name for path in (tmp_path / "test_output_data").rglob("*.partial")] == []


@pytest.fixture
def sample_place(tmp_path: Path) -> Path:
    """The sample facts, larger than the small ones, and an embedded store."""
    (tmp_path / ".pattern2plan").mkdir()
    load_facts(sample_fact_base().facts, read_settings().facts_url())
    upgrade(open_store(read_settings()))
    return tmp_path


@pytest.mark.parametrize("output", ["local_json", "mysql_demand_content"])
def test_d061_d064_kills_at_any_moment_and_the_run_is_finished_once(sample_place: Path, output: str) -> None:
    common = ("demand", "run", "--execution-id", "101", "--count", "25", "--output", output)
    assert finish(sample_place, (*common, "--run-id", "whole")).code == 0
    begun = time.monotonic()
    assert finish(sample_place, (*common, "--run-id", "timed")).code == 0
    seconds = time.monotonic() - begun
    for number in range(KILLS):
        run_id = f"run-{number}"
        arguments = (*common, "--run-id", run_id, "--run-label", run_id, "--json")
        running = start_cli(sample_place, arguments)
        time.sleep(seconds * (number + 0.5) / KILLS)
        running.kill()
        root = sample_place / "test_output_data" / run_id
        assert_every_file_is_whole(root)
        if not (root / "run_manifest.json").exists():
            done = finish(sample_place, (*arguments, *(["--resume"] if root.exists() else [])))
            assert done.code == 0, done.err
        _assert_same_result(root, sample_place / "test_output_data" / "whole", output)


def _assert_same_result(root: Path, whole: Path, output: str) -> None:
    counts = [json.loads((folder / "run_manifest.json").read_text())["counts"] for folder in (root, whole)]
    assert counts[0] == counts[1]
    if output == "local_json":
        assert_complete(root)
        for name in ("dwd_multi_demand_pool_di.json", "demand_items.json", "rejected_demand_items.json"):
            assert (root / name).read_bytes() == (whole / name).read_bytes()
        return
    rows = "SELECT name, score FROM demand_content WHERE json_extract(ext_data, '$.run_label') = :label ORDER BY id"
    url = read_settings().store_url()
    assert asked(url, rows, label=root.name) == asked(url, rows, label="whole")
    wrong = "json_extract(ext_data, '$.evidence_pack.demand_content_id') IS NOT id"
    assert asked(url, f"SELECT count(*) FROM demand_content WHERE {wrong}") == [(0,)]


@pytest.mark.parametrize("moment", [stop_in_propose, stop_in_fsync_of_content])
def test_ctrl_c_ends_with_130_and_leaves_nothing_half_written(
    place: FactWorld, tmp_path: Path, moment: Callable[[], None]
) -> None:
    running = started(tmp_path, LOCAL, moment)
    running.signal(signal.SIGINT)
    done = running.wait()
    assert done.code == 130
    assert "Traceback" not in done.err
    assert len([line for line in done.err.splitlines() if not line.startswith("round ")]) <= 1
    root = tmp_path / "test_output_data" / "run-1"
    assert_every_file_is_whole(root)
    assert finish(tmp_path, (*LOCAL, "--resume")).code == 0
    assert_complete(root)


def test_ctrl_c_leaves_nothing_aside(place: FactWorld, tmp_path: Path) -> None:
    running = started(tmp_path, LOCAL, stop_in_fsync_of_content)
    running.signal(signal.SIGINT)
    running.wait()
    assert [path.name for path in tmp_path.rglob("*.partial")] == []


def test_ctrl_c_between_insert_and_update_takes_the_rows_back(place: FactWorld, tmp_path: Path) -> None:
    running = started(tmp_path, (*RUN_MYSQL, "--count", "2"), stop_between_insert_and_update)
    running.signal(signal.SIGINT)
    assert running.wait().code == 130
    assert asked(read_settings().store_url(), "SELECT count(*) FROM demand_content") == [(0,)]


def test_ctrl_c_while_the_command_is_still_loading_shows_no_traceback(place: FactWorld, tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("pattern2plan")
    if not command.exists():
        pytest.skip("the command is not installed beside this interpreter")
    process = subprocess.Popen([str(command), *LOCAL], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in err


@pytest.mark.real_server
def test_my12_a_server_that_ends_every_session_is_one_error_and_then_all_is_well(
    place: FactWorld, tmp_path: Path
) -> None:
    with temporary_database(MARIADB) as url:
        upgrade(DemandStore(url))
        dsn = url.render_as_string(hide_password=False)
        arguments = (*RUN_MYSQL, "--count", "2", "--run-label", "one")
        running = started(tmp_path, arguments, stop_between_insert_and_update_once, DEMAND_CONTENT_MYSQL_DSN=dsn)
        _kill_sessions(url)
        done = running.wait()
        assert done.code == 0, done.err
        assert asked(url, "SELECT count(*) FROM demand_content") == [(2,)]


def stop_between_insert_and_update_once() -> None:
    """Goes on after two seconds; the second time it does not stop."""
    from demand_assets.outputs import demand_content as sink

    def stop(connection: Any, run_label: str) -> None:
        if not REACHED.exists():
            REACHED.touch()
            time.sleep(2)
        original(connection, run_label)

    original = sink.write_ids_into_packs
    sink.write_ids_into_packs = stop


def _kill_sessions(url: URL) -> None:
    sessions = "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()"
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for (session,) in connection.exec_driver_sql(sessions).fetchall():
            connection.exec_driver_sql(f"KILL {session}")
    engine.dispose()
