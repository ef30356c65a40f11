"""The whole Dagster job in process against the same functions called without Dagster."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sqlalchemy.engine import URL

from tests.bench.runs import middle, ratios, side_by_side
from tests.real_servers import POSTGRES, temporary_database

COUNT = 100
REAL_FACTS = Path(__file__).resolve().parents[3] / "shared" / "data" / "pattern_v2"
REAL_EXECUTION, SAMPLE_EXECUTION = 581, 101


def job_against_functions(folder: Path) -> dict[str, Any]:
    """Execution 581 of the public data where they are, else the product's sample; 100 demands, files only."""
    from sandbox.facts.facts_load import load_facts
    from sandbox.sample.facts_sample import sample_fact_base

    real = REAL_FACTS.is_dir()
    with temporary_database(POSTGRES) as url:
        load_facts(REAL_FACTS if real else sample_fact_base().facts, url)
        before = Path.cwd()
        os.chdir(folder)
        os.environ["DEMAND_PATTERN_PG_DSN"] = url.render_as_string(hide_password=False)
        try:
            return _measure(REAL_EXECUTION if real else SAMPLE_EXECUTION, url)
        finally:
            os.chdir(before)
            del os.environ["DEMAND_PATTERN_PG_DSN"]


def _measure(execution_id: int, url: URL) -> dict[str, Any]:
    import dagster as dg
    import pandas as pd

    from demand_assets.definitions import defs
    from demand_assets.run.existing_execution import RunEnvironment, run_execution
    from demand_assets.run.request import make_request
    from expectations.demand.frames import evidence_frames
    from expectations.demand.pack_records import PackRecord
    from expectations.demand.suites import EVIDENCE_SUITES
    from expectations.engine.validation import run_suites
    from resources.databases.pattern_facts.engine import FactsDatabase
    from resources.settings.demand import read_settings

    request = make_request(execution_id=execution_id, count=COUNT)

    def functions() -> None:
        report = run_execution("local_json", request, RunEnvironment(read_settings()))
        records = [PackRecord.of(str(r.id), r.name, r.ext_data.evidence_pack.model_dump_json()) for r in report.rows]
        facts = FactsDatabase(url)
        with facts.snapshot() as snapshot:
            frames: dict[str, pd.DataFrame] = evidence_frames(snapshot, execution_id, records)
        run_suites([suite for group in EVIDENCE_SUITES.values() for suite in group], frames)
        facts.close()

    def job() -> None:
        with dg.DagsterInstance.ephemeral() as instance:
            instance.add_dynamic_partitions("execution_id", [str(execution_id)])
            defs.resolve_job_def("demand_local_json").execute_in_process(
                instance=instance,
                partition_key=str(execution_id),
                run_config={
                    "resources": {"demand_request": {"config": {"count": COUNT}}},
                    "loggers": {"console": {"config": {"log_level": "ERROR"}}},
                },
            )

    functions()
    runs = side_by_side({"functions_s": functions, "job_s": job})
    return {
        "execution_id": execution_id,
        **{name: middle(seconds) for name, seconds in runs.items()},
        "job_to_functions": middle(ratios(runs["job_s"], runs["functions_s"])),
    }
