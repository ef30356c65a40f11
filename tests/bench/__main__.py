"""``make bench``: every figure of this run as one JSON document on standard output, ratios included.

``python -m tests.bench gateway supply_batch`` measures only what is named.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine

from expectations.demand.pack_records import PackRecord
from resources.foundation.logs import configure_logs
from resources.settings.log_level import read_log_level
from tests.bench import backfill, drift, gateway, growth, near_duplicates, ranking, start_up, supply_batch, webserver
from tests.bench.closure import close_all, copy_rows, count_statements, one_by_one, peak_mib, run_evidence_suites, timed
from tests.bench.generated_facts import candidates, generate
from tests.bench.job import job_against_functions
from tests.bench.runs import middle, ratios, side_by_side
from tests.real_servers import POSTGRES, temporary_database

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
CANDIDATES = 10_000
SAMPLE = 300
TRIES = 3


def best(work: Callable[[], Any]) -> float:
    """Shortest of three calls, seconds."""
    return min(timed(work)[0] for _ in range(TRIES))


def closure_and_suites() -> dict[str, Any]:
    """Closure and suites over generated facts on PostgreSQL."""
    from resources.databases.pattern_facts.engine import FactsDatabase

    with temporary_database(POSTGRES) as url:
        engine = create_engine(url)
        say(f"generating facts took {timed(lambda: generate(engine))[0]:.0f} s")
        many = candidates(engine, CANDIDATES)
        facts = FactsDatabase(url)
        conninfo = f"host={url.host} port={url.port} user={url.username} dbname={url.database}"
        packs = close_all(facts, many)
        peak_of_closure = peak_mib()
        statements = [count_statements(facts, lambda n=n: close_all(facts, many[:n])) for n in (100, CANDIDATES)]
        records = [
            PackRecord.of(str(place), ",".join(candidate["element_names"]), pack.model_dump_json())
            for place, (candidate, pack) in enumerate(zip(many, packs, strict=True))
        ]
        run_evidence_suites(facts, records[:10])
        runs = side_by_side(
            {
                "copy_s": lambda: copy_rows(conninfo, many),
                "closure_s": lambda: close_all(facts, many),
                "suites_s": lambda: run_evidence_suites(facts, records),
                f"per_candidate_way_of_{SAMPLE}_s": lambda: one_by_one(facts, many[:SAMPLE]),
            }
        )
        facts.close()
        engine.dispose()
    return {
        "candidates": CANDIDATES,
        **{name: middle(seconds) for name, seconds in runs.items()},
        "closure_to_copy": middle(ratios(runs["closure_s"], runs["copy_s"])),
        "per_candidate_way_to_closure": middle(
            ratios([s / SAMPLE * CANDIDATES for s in runs[f"per_candidate_way_of_{SAMPLE}_s"]], runs["closure_s"])
        ),
        "suites_to_closure": middle(ratios(runs["suites_s"], runs["closure_s"])),
        "statements_for_100_and_10000": statements,
        "peak_mib": peak_of_closure,
    }


def code_location_import() -> dict[str, Any]:
    """Seconds to import the location in a fresh process, and whether Great Expectations came along."""
    code = "import sys, demand_assets.definitions; print('great_expectations' in sys.modules)"
    command = [sys.executable, "-c", code]
    seconds = best(lambda: subprocess.run(command, check=True, capture_output=True))
    came_along = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip() == "True"
    return {"import_s": seconds, "imports_great_expectations": came_along}


def say(text: str) -> None:
    """Progress on standard error."""
    sys.stderr.write(text + "\n")


def rounded(value: Any) -> Any:
    """Floats to three decimals, at any depth."""
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return value


def near_duplicates_and_ranking() -> dict[str, Any]:
    """Near-duplicates over 100,000 titles, ranking at scale, ranking quality beside its baselines."""
    data = DATA if DATA.is_dir() else None
    report = {"near_duplicates": near_duplicates.measure(data), "ranking_at_scale": ranking.measure_scale()}
    return report | ({"ranking_quality": ranking.measure_quality(data)} if data else {})


def main() -> None:
    configure_logs(read_log_level())
    report: dict[str, Any] = {"cores": os.cpu_count()}
    with tempfile.TemporaryDirectory() as folder:
        measures: dict[str, Callable[[], Any]] = {
            "start_up": lambda: start_up.measure(Path(folder)),
            "code_location": code_location_import,
            "closure": closure_and_suites,
            "job": lambda: job_against_functions(Path(folder)),
            "gateway": gateway.measure,
            "supply": near_duplicates_and_ranking,
            "drift": drift.measure,
            "backfill": lambda: backfill.measure(Path(folder)),
            "growth": lambda: growth.measure(Path(folder)),
            "webserver": webserver.first_paint,
        }
        if DATA.is_dir():
            measures["supply_batch"] = lambda: supply_batch.measure(DATA, Path(folder))
        for name in sys.argv[1:] or list(measures):
            say(f"{name} …")
            report[name] = measures[name]()
    sys.stdout.write(json.dumps(rounded(report), indent=2) + "\n")


if __name__ == "__main__":
    main()
