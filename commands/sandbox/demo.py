"""``pattern2plan demo``: sample facts, a platform sandbox, and the whole chain for one execution, all embedded."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.operations.dagster_home import require_storable, write_local_instance
from lineage.chain_tree import chain_json, from_article
from lineage.trace import Chain, ChainEnd, trace
from resources.console.options import AsJson
from resources.console.output import err, out, print_json
from resources.console.program import ignore_deprecations
from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.databases.demand_store.migrate import upgrade as upgrade_demand_store
from resources.databases.supply_store.migrate import upgrade as upgrade_supply_store
from resources.foundation import strict_json
from resources.foundation.errors import Pattern2PlanError
from resources.foundation.ids import execution_key
from resources.settings.demand import FACTS_VARIABLES, STORE_GROUPS, STORE_VARIABLE, Settings, read_settings
from resources.settings.supply import SUPPLY_STORE_GROUPS, SUPPLY_STORE_VARIABLE, read_supply_settings

if TYPE_CHECKING:
    import dagster as dg

EXECUTION_ID = 101
COUNT = 25
ARTICLES = 5_000
RUN_LABEL = "demo"
QUIET_LOGGERS = {"loggers": {"console": {"config": {"log_level": "ERROR"}}}}
SERVERS = (*FACTS_VARIABLES, STORE_VARIABLE, SUPPLY_STORE_VARIABLE, "DEMAND_OUTPUT_MODE")
PLATFORM = ("SUPPLY_PLATFORM_URL", "SUPPLY_PLAN_SERVICE_URL", "SUPPLY_PROVIDERS_FILE", "SUPPLY_PLATFORM_TOKEN")


class DemoFailed(Pattern2PlanError):
    """A job of the demo did not end well."""


def demo(json: AsJson = False) -> None:
    """The whole chain for one execution of the sample facts, without any server."""
    _forget_servers()
    settings = read_settings()
    home = (settings.home / "dagster").resolve()
    require_storable(home)
    _load_sample(settings)
    upgrade_demand_store(open_store(settings))
    upgrade_supply_store(open_supply_store(read_supply_settings()))
    manifest, plans = _run_chain(settings, home)
    chain = _first_chain(settings, plans[0]["crawler_plan_id"])
    if json:
        print_json(manifest | {"plans": plans, "trace": chain_json(chain)})
    else:
        _print(manifest, plans, chain)


def _forget_servers() -> None:
    """The demo never touches a server, whatever the environment names."""
    groups = (f"{group}_HOST" for group in (*STORE_GROUPS, *SUPPLY_STORE_GROUPS))
    for name in (*SERVERS, *PLATFORM, *groups):
        os.environ.pop(name, None)


def _load_sample(settings: Settings) -> None:
    from sandbox.facts.facts_load import ExecutionAlreadyLoaded, load_facts
    from sandbox.sample.facts_sample import sample_fact_base

    err.print("sample facts …")
    try:
        load_facts(sample_fact_base().facts, settings.embedded_facts_url())
    except ExecutionAlreadyLoaded:
        err.print("  are there already")


def _run_chain(settings: Settings, home: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Both demand jobs, then the supply job against a platform on this machine."""
    import dagster as dg

    ignore_deprecations()

    from sandbox.platform.app import build_app
    from sandbox.platform.corpus.generated import generate
    from sandbox.platform.plans.plans import PlanStore
    from sandbox.platform.serving.serve import serve

    write_local_instance(home)
    os.environ["DAGSTER_HOME"] = str(home)
    err.print("a platform on loopback …")
    app = build_app(generate(articles=ARTICLES), plans=PlanStore(settings.home / "platform_plans.jsonl"))
    with dg.DagsterInstance.get() as instance, serve(app) as platform:
        os.environ["SUPPLY_PLATFORM_URL"] = platform.url
        manifest = _run_demand(instance)
        plans = _run_supply(instance)
        err.print(f"  answered at {platform.url}")
    return manifest, plans


def _run_demand(instance: dg.DagsterInstance) -> dict[str, Any]:
    from demand_assets.definitions import defs
    from demand_assets.orchestration.dagster_run import LOCAL_JOB, MYSQL_JOB
    from demand_assets.orchestration.partitions import EXECUTIONS

    key = execution_key(EXECUTION_ID)
    instance.add_dynamic_partitions(str(EXECUTIONS.name), [key])
    manifest: dict[str, Any] = {}
    for job_name in (LOCAL_JOB, MYSQL_JOB):
        label = RUN_LABEL if job_name == MYSQL_JOB else f"{RUN_LABEL}_{job_name}"
        config = {"demand_request": {"config": {"count": COUNT, "run_label": label}}}
        result = _run_job(defs, job_name, key, instance, config)
        manifest = manifest or _manifest_of(result)
    return manifest


def _run_supply(instance: dg.DagsterInstance) -> list[dict[str, Any]]:
    from supply_assets.definitions import defs
    from supply_assets.orchestration.jobs import BATCH_JOB
    from supply_assets.orchestration.partitions import DEMAND_BATCHES

    key = str(EXECUTION_ID)
    instance.add_dynamic_partitions(str(DEMAND_BATCHES.name), [key])
    config = {"supply_request": {"config": {"run_label": RUN_LABEL}}}
    result = _run_job(defs, BATCH_JOB, key, instance, config)
    plans: list[dict[str, Any]] = result.output_for_node("crawler_plans").to_dict("records")
    made = [plan for plan in plans if plan["crawler_plan_id"]]
    if not made:
        raise DemoFailed("no plan was created", "look at the run with `make ui`")
    return [{name: plan[name] for name in ("task_id", "crawler_plan_id", "input_count")} for plan in made]


def _run_job(
    defs: dg.Definitions, job_name: str, key: str, instance: dg.DagsterInstance, resources: dict[str, Any]
) -> dg.ExecuteInProcessResult:
    err.print(f"job {job_name}, partition {key} …")
    result = defs.resolve_job_def(job_name).execute_in_process(
        instance=instance,
        partition_key=key,
        run_config={"resources": resources, **QUIET_LOGGERS},
        raise_on_error=False,
    )
    if not result.success:
        failed = [str(event.step_key) for event in result.all_events if event.is_step_failure]
        raise DemoFailed(f"job {job_name} failed in {', '.join(failed)}", "look at the run with `make ui`")
    return result


def _manifest_of(result: dg.ExecuteInProcessResult) -> dict[str, Any]:
    path = result.asset_materializations_for_node("run_manifest")[0].metadata["manifest_file"].value
    content: dict[str, Any] = strict_json.loads(Path(str(path)).read_bytes())
    return content | {"folder": str(Path(str(path)).parent)}


def _first_chain(settings: Settings, crawler_plan_id: str) -> Chain:
    with closing(open_facts(settings)) as facts, closing(open_supply_store(read_supply_settings())) as store:
        return trace(ChainEnd(crawler_plan_id=crawler_plan_id), store, open_store(settings), facts)[0]


def _print(manifest: dict[str, Any], plans: list[dict[str, Any]], chain: Chain) -> None:
    counts = manifest["counts"]
    out.print(
        f"\nexecution {EXECUTION_ID}: {counts['proposed']} proposed, {counts['accepted']} accepted, "
        f"{counts['rejected']} rejected"
    )
    for code, number in counts["rejected_by_code"].items():
        out.print(f"  {code}: {number}")
    articles = sum(int(plan["input_count"]) for plan in plans)
    out.print(f"\n{len(plans)} crawler plans with {articles} articles; plan {plans[0]['crawler_plan_id']}:\n")
    for article in chain.articles:
        line = f"  #{article.rank_no} {article.total_score:.2f} {article.title} · {article.account_name}"
        out.print(line, markup=False)
    out.print("\nits first article, walked back to the category nodes that asked for it:\n")
    out.print(from_article(chain, chain.articles[0]))
    out.print(f"\nfiles:          {manifest['folder']}")
    out.print("published rows: pattern2plan demand verify")
    out.print(f"any chain:      pattern2plan trace --crawler-plan-id {plans[0]['crawler_plan_id']}")
    out.print(f"a page of it:   pattern2plan report --execution-id {EXECUTION_ID} --html report.html")
    out.print("look at it:     make ui")
