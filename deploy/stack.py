"""``python -m deploy.stack``: the whole deployment on one machine, from the same files as on many.

PostgreSQL and, for the Celery variant, a broker must be there. Two code servers, webserver, daemon and workers are
started, kept running, and stopped together.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from deploy.supervision import Program, Supervisor
from resources.foundation.errors import Pattern2PlanError, SettingsError, StoreUnwritable, one_line, without_address
from resources.foundation.secret_files import variable

FILES = Path(__file__).parent
STORAGE = "DAGSTER_POSTGRES_URL"
# dagster-postgres repeats what two starting processes may both do by the error codes of this driver only.
DRIVER = "postgresql+psycopg2"
BROKER, RESULTS = "PATTERN2PLAN_BROKER", "PATTERN2PLAN_RESULT_BACKEND"
LOCATIONS = {
    "demand": ("DEMAND_CODE", "demand_assets.definitions"),
    "supply": ("SUPPLY_CODE", "supply_assets.definitions"),
}


@dataclass(frozen=True)
class StackOptions:
    """What is started where; ports are those of the loopback address, the code servers have the two after ``port``."""

    home: Path
    port: int
    celery_workers: int
    runs_a_worker: int

    @property
    def dagster_home(self) -> Path:
        return self.home / "dagster"


def main() -> int:
    """Start the stack and keep it until SIGTERM or SIGINT."""
    try:
        return _run_until_stopped(_arguments())
    except Pattern2PlanError as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return error.exit_code


def _arguments() -> StackOptions:
    parser = argparse.ArgumentParser(prog="deploy.stack", description=__doc__)
    parser.add_argument(
        "--home", type=Path, default=Path(".pattern2plan/stack"), help="Logs, pids, and DAGSTER_HOME in it."
    )
    parser.add_argument("--port", type=int, default=3000, help="Of the webserver.")
    parser.add_argument("--celery-workers", type=int, default=2, help="0: runs are processes of the code servers.")
    parser.add_argument("--runs-a-worker", type=int, default=2, help="Runs at a time of one worker.")
    asked = parser.parse_args()
    return StackOptions(asked.home.resolve(), asked.port, asked.celery_workers, asked.runs_a_worker)


def _run_until_stopped(wanted: StackOptions) -> int:
    environment = stack_environment(wanted, os.environ)
    _make_storage(environment[STORAGE])
    wanted.dagster_home.mkdir(parents=True, exist_ok=True)
    variant = "dagster-celery.yaml" if wanted.celery_workers else "dagster.yaml"
    if wanted.celery_workers:
        require_places(wanted, FILES / variant)
    shutil.copyfile(FILES / variant, wanted.dagster_home / "dagster.yaml")
    supervisor = Supervisor(programs(wanted), wanted.home, environment)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: supervisor.stop())
    try:
        supervisor.start()
        print(f"the UI is at http://127.0.0.1:{wanted.port}", flush=True)
        supervisor.keep()
    finally:
        supervisor.close()
    return 0


def require_places(wanted: StackOptions, instance: Path) -> None:
    """Refuse fewer places of workers than runs may be in work: the rest would wait, and be failed for it.

    Raises:
        SettingsError: naming both numbers.
    """
    runs = int(yaml.safe_load(instance.read_text())["concurrency"]["runs"]["max_concurrent_runs"])
    places = wanted.celery_workers * wanted.runs_a_worker
    if places < runs:
        raise SettingsError(
            f"{places} places of workers for {runs} runs in work (max_concurrent_runs)", "raise --runs-a-worker"
        )


def stack_environment(wanted: StackOptions, given: Mapping[str, str]) -> dict[str, str]:
    """The environment of every process.

    Raises:
        SettingsError: a variable that the stack needs is not set.
    """
    named = {name: value for name in (STORAGE, BROKER, RESULTS) if (value := variable(name))}
    environment = {**given, **named, "DAGSTER_HOME": str(wanted.dagster_home), "PYTHONUNBUFFERED": "1"}
    if not environment.get(STORAGE):
        raise SettingsError(f"environment variable {STORAGE} is not set", f"{DRIVER}://user:password@host/database")
    if make_url(environment[STORAGE]).drivername != DRIVER:
        raise SettingsError(f"environment variable {STORAGE} names another driver", f"begin it with {DRIVER}://")
    if wanted.celery_workers:
        if not environment.get(BROKER):
            raise SettingsError(f"environment variable {BROKER} is not set", "redis://host:6379/0")
        environment.setdefault(RESULTS, environment[BROKER])
    for place, (prefix, _) in enumerate(LOCATIONS.values(), start=1):
        environment |= {f"{prefix}_HOST": "127.0.0.1", f"{prefix}_PORT": str(wanted.port + place)}
    return environment


def programs(wanted: StackOptions) -> list[Program]:
    """The processes, in the order in which they are started."""
    binaries = Path(sys.executable).parent
    workspace = ("-w", str(FILES / "workspace.yaml"))
    code_servers = [
        Program(
            f"code-{location}",
            (str(binaries / "dagster"), "api", "grpc", "-m", module, "-h", "127.0.0.1", "-p", str(wanted.port + place)),
            wanted.port + place,
        )
        for place, (location, (_, module)) in enumerate(LOCATIONS.items(), start=1)
    ]
    web = (str(binaries / "dagster-webserver"), *workspace, "-h", "127.0.0.1", "-p", str(wanted.port))
    worker = (sys.executable, "-m", "resources.run_workers", "--concurrency", str(wanted.runs_a_worker))
    return [
        *code_servers,
        Program("webserver", web, wanted.port),
        Program("daemon", (str(binaries / "dagster-daemon"), "run", *workspace)),
        *(
            Program(f"worker-{number}", (*worker, "--name", f"worker-{number}"))
            for number in range(1, wanted.celery_workers + 1)
        ),
    ]


def _make_storage(address: str) -> None:
    """Make Dagster's database where there is none; what stands stays."""
    url = make_url(address).set(drivername="postgresql+psycopg")
    name = url.database or ""
    try:
        engine = create_engine(url.set(database="postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            found = connection.execute(text("SELECT 1 FROM pg_database WHERE datname = :name"), {"name": name}).scalar()
            if not found:
                quoted = engine.dialect.identifier_preparer.quote(name)
                connection.exec_driver_sql(f"CREATE DATABASE {quoted}")
        engine.dispose()
    except SQLAlchemyError as error:
        detail = without_address(one_line(getattr(error, "orig", None) or error))
        raise StoreUnwritable(f"Dagster's storage could not be used: {detail}", f"check {STORAGE}") from error


if __name__ == "__main__":
    sys.exit(main())
