"""``run_manifest.json`` (D-067): what was asked, what came of it, with what, and the hashes of the files."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from demand_assets.outputs.run_folder import MANIFEST, RunFolder
from demand_assets.run.request import DemandRequest
from resources.databases.pattern_facts.records import Execution
from resources.settings.demand import OutputMode, Settings

SIMULATED_TASK_ID = 1
TASK_ID_NOTES: dict[str, str] = {
    "local_json": "demand_task_id is simulated: local_json writes files only",
    "mysql_demand_content": "demand_task_id is null: only demand_content is written, no demand_task row exists",
}


@dataclass(frozen=True)
class RunFacts:
    """What the manifest says beside the outcome."""

    run_id: str
    run_label: str
    mode: OutputMode
    request: DemandRequest
    execution: Execution
    trace_id: str
    merge_leve2: str
    started_at: str


def code_version() -> str:
    """Version of the installed product."""
    try:
        return version("pattern2plan")
    except PackageNotFoundError:
        return "unknown"


def manifest(
    run: RunFacts, summary: dict[str, Any], settings: Settings, published: dict[str, int], finished_at: str
) -> dict[str, Any]:
    """The manifest without its file list; ``summary`` is what ``outcome_file`` keeps."""
    return {
        "run_id": run.run_id,
        "run_label": run.run_label,
        "output_mode": run.mode,
        "started_at": run.started_at,
        "finished_at": finished_at,
        "code_version": code_version(),
        "trace_id": run.trace_id,
        "execution": run.execution._asdict(),
        "merge_leve2": run.merge_leve2,
        "config": run.request.model_dump(mode="json"),
        "demand_task_id": SIMULATED_TASK_ID if run.mode == "local_json" else None,
        "demand_task_id_note": TASK_ID_NOTES[run.mode],
        "published": published,
        **summary,
        "settings": settings_without_secrets(settings),
    }


def simulated_task(run: RunFacts) -> dict[str, Any]:
    """``demand_task.json``: the ledger row of the task that local mode simulates."""
    return {
        "id": SIMULATED_TASK_ID,
        "simulated": True,
        "execution_id": run.request.execution_id,
        "merge_leve2": run.merge_leve2,
        "platform_type": run.request.platform_type or run.execution.platform_type,
        "count": run.request.count,
        "status": "success",
        "trace_id": run.trace_id,
    }


def settings_without_secrets(settings: Settings) -> dict[str, Any]:
    """Kinds of databases and limits; no address, no account, no key."""
    return {
        "facts_backend": settings.facts_url().get_backend_name(),
        "store_backend": settings.store_url().get_backend_name(),
        "statement_timeout_s": settings.statement_timeout_s,
        "itemset_detail_max_ids": settings.itemset_detail_max_ids,
        "itemset_detail_max_post_ids": settings.itemset_detail_max_post_ids,
    }


def write_manifest(folder: RunFolder, content: dict[str, Any]) -> None:
    """Write the manifest last, with the SHA-256 of every other file that is not hidden."""
    files = sorted(
        str(path.relative_to(folder.root))
        for path in folder.root.rglob("*")
        if path.is_file() and path.name != MANIFEST and not path.name.startswith(".")
    )
    folder.write_json(MANIFEST, content | {"files": folder.sha256_of_files(files)})
