"""``run_manifest.json`` (D-067): what was asked, what came of it, with what, and the hashes of the files."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from demand_assets.outputs.outcome_file import read_outcome, read_published
from demand_assets.outputs.run_folder import MANIFEST, RunFolder
from demand_assets.run.identity import SIMULATED_TASK_ID, Run
from resources.foundation.clock import Clock
from resources.settings.demand import Settings

TASK_ID_NOTES: dict[str, str] = {
    "local_json": "demand_task_id is simulated: local_json writes files only",
    "mysql_demand_content": "demand_task_id is null: only demand_content is written, no demand_task row exists",
}


def code_version() -> str:
    """Version of the installed product."""
    try:
        return version("pattern2plan")
    except PackageNotFoundError:
        return "unknown"


def manifest(run: Run, settings: Settings, finished_at: str) -> dict[str, Any]:
    """The manifest without its file list, from what deciding and publishing kept in the folder.

    Raises:
        OutputRefused: this run did not decide, or did not publish.
    """
    identity = run.identity
    return {
        "run_id": identity.run_id,
        "run_label": identity.run_label,
        "output_mode": run.mode,
        "started_at": identity.started_at.isoformat(),
        "finished_at": finished_at,
        "code_version": code_version(),
        "trace_id": identity.trace_id,
        "execution": run.execution._asdict(),
        "merge_leve2": run.merge_leve2,
        "config": run.request.model_dump(mode="json"),
        "demand_task_id": identity.demand_task_id,
        "demand_task_id_note": TASK_ID_NOTES[run.mode],
        "published": read_published(run.folder),
        **read_outcome(run.folder),
        "settings": settings_without_secrets(settings),
    }


def simulated_task(run: Run) -> dict[str, Any]:
    """``demand_task.json``: the ledger row of the task that local mode simulates."""
    return {
        "id": SIMULATED_TASK_ID,
        "simulated": True,
        "execution_id": run.request.execution_id,
        "merge_leve2": run.merge_leve2,
        "platform_type": run.request.platform_type or run.execution.platform_type,
        "count": run.request.count,
        "status": "success",
        "trace_id": run.identity.trace_id,
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


def write_manifest(run: Run, settings: Settings, clock: Clock) -> dict[str, Any]:
    """Last step of a run: the manifest, written when all else stands; returned without its file list.

    Raises:
        OutputRefused: this run did not decide, or did not publish.
    """
    content = manifest(run, settings, clock.now().isoformat())
    _write_manifest(run.folder, content)
    return content


def _write_manifest(folder: RunFolder, content: dict[str, Any]) -> None:
    """Write the manifest last, with the SHA-256 of every other file that is not hidden."""
    files = sorted(
        str(path.relative_to(folder.root))
        for path in folder.root.rglob("*")
        if path.is_file() and path.name != MANIFEST and not path.name.startswith(".")
    )
    folder.write_json(MANIFEST, content | {"files": folder.sha256_of_files(files)})
