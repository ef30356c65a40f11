"""``pattern2plan demo``: sample facts, then the two Dagster jobs over one execution, all on embedded databases."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.console import err, out, print_json
from commands.sandbox_facts import embedded_facts_url
from resources import strict_json
from resources.connections import open_store
from resources.demand_store.migrate import upgrade
from resources.errors import Pattern2PlanError
from resources.settings import FACTS_VARIABLES, STORE_GROUPS, STORE_VARIABLE, Settings, read_settings
from sandbox.facts_load import ExecutionAlreadyLoaded, load_facts
from sandbox.facts_sample import sample_fact_base

if TYPE_CHECKING:
    import dagster as dg

EXECUTION_ID = 101
COUNT = 25
QUIET_LOGGERS = {"loggers": {"console": {"config": {"log_level": "ERROR"}}}}


class DemoFailed(Pattern2PlanError):
    """A job of the demo did not end well."""


def demo(json: Annotated[bool, typer.Option("--json", help="Answer as JSON.")] = False) -> None:
    """The whole chain for one execution of the sample facts, without any server."""
    _forget_servers()
    settings = read_settings()
    err.print("sample facts …")
    try:
        load_facts(sample_fact_base().facts, embedded_facts_url(settings))
    except ExecutionAlreadyLoaded:
        err.print("  are there already")
    upgrade(open_store(settings))
    manifest = _run_jobs(settings)
    if json:
        print_json(manifest)
    else:
        _print(manifest)


def _forget_servers() -> None:
    """The demo never touches a server, whatever the environment names."""
    for name in (*FACTS_VARIABLES, STORE_VARIABLE, *(f"{group}_HOST" for group in STORE_GROUPS), "DEMAND_OUTPUT_MODE"):
        os.environ.pop(name, None)


def _run_jobs(settings: Settings) -> dict[str, Any]:
    import dagster as dg

    from demand_assets.dagster_run import LOCAL_JOB, MYSQL_JOB
    from demand_assets.definitions import defs
    from demand_assets.partitions import EXECUTIONS, execution_key

    home = (settings.home / "dagster").resolve()
    write_local_instance(home)
    os.environ["DAGSTER_HOME"] = str(home)
    key = execution_key(EXECUTION_ID)
    manifest: dict[str, Any] = {}
    with dg.DagsterInstance.get() as instance:
        instance.add_dynamic_partitions(str(EXECUTIONS.name), [key])
        for job_name in (LOCAL_JOB, MYSQL_JOB):
            err.print(f"job {job_name}, partition {key} …")
            result = defs.resolve_job_def(job_name).execute_in_process(
                instance=instance,
                partition_key=key,
                run_config={"resources": {"demand_request": {"config": _request_config(job_name)}}, **QUIET_LOGGERS},
                raise_on_error=False,
            )
            manifest = manifest or _manifest_of(result, job_name)
    return manifest


def write_local_instance(home: Path) -> None:
    """A Dagster home on SQLite that sends nothing anywhere; one that is configured already is left as it is."""
    home.mkdir(parents=True, exist_ok=True)
    configuration = home / "dagster.yaml"
    if not configuration.exists():
        configuration.write_text("telemetry:\n  enabled: false\nnux:\n  enabled: false\n")


def _request_config(job_name: str) -> dict[str, Any]:
    return {"count": COUNT, "run_label": f"demo_{job_name}"}


def _manifest_of(result: dg.ExecuteInProcessResult, job_name: str) -> dict[str, Any]:
    if not result.success:
        failed = [str(event.step_key) for event in result.all_events if event.is_step_failure]
        raise DemoFailed(f"job {job_name} failed in {', '.join(failed)}", "look at the run with `make ui`")
    path = result.asset_materializations_for_node("run_manifest")[0].metadata["manifest_file"].value
    content: dict[str, Any] = strict_json.loads(Path(str(path)).read_bytes())
    return content | {"folder": str(Path(str(path)).parent)}


def _print(manifest: dict[str, Any]) -> None:
    counts = manifest["counts"]
    out.print(
        f"\nexecution {EXECUTION_ID}: {counts['proposed']} proposed, {counts['accepted']} accepted, "
        f"{counts['rejected']} rejected"
    )
    for code, number in counts["rejected_by_code"].items():
        out.print(f"  {code}: {number}")
    out.print(f"\nfiles:          {manifest['folder']}")
    out.print("published rows: pattern2plan demand verify")
    out.print("look at it:     make ui")
