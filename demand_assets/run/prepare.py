"""First step of a run: mode, execution and proposer are looked at before anything is written; then it owns a folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from demand_assets.evidence.weights import WeightScores, read_weight_scores
from demand_assets.outputs.outcome_file import OUTCOME_FILE
from demand_assets.outputs.run_folder import (
    OUTPUT_ROOT,
    RunFolder,
    claim_run_folder,
    open_resumed,
    read_owner,
    resolve_root,
)
from demand_assets.outputs.weight_files import write_weight_files
from demand_assets.run.identity import Run, RunIdentity
from demand_assets.run.proposer_choice import ReadModel, require_startable
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.pattern_facts.executions import require_usable
from resources.foundation.errors import OutputRefused, SettingsError
from resources.settings.demand import OutputMode, Settings

REQUEST = "intermediate/result/request.json"
MAY_DIFFER = {"count", "max_rounds", "run_id", "output_root"}
"""Fields of the request that a resumed run may be given anew."""


def require_mode(mode: OutputMode, named: OutputMode | None) -> None:
    """D-065: the entry point chooses the mode; a variable that says otherwise is refused.

    Raises:
        SettingsError: ``DEMAND_OUTPUT_MODE`` names another mode than the entry point.
    """
    if named not in (None, mode):
        raise SettingsError(
            f"DEMAND_OUTPUT_MODE is {named} but this entry point writes {mode}",
            "unset it, or start the entry point of that mode",
        )


def prepare(
    identity: RunIdentity,
    facts: FactsDatabase,
    settings: Settings,
    model: ReadModel,
    runs: Path = Path(OUTPUT_ROOT),
) -> Run:
    """Take the folder of a run, new or begun by an earlier step of the same run.

    Raises:
        ExecutionNotUsable, FactsUnreadable: see ``require_usable``, or the weights cannot be read; no folder is left.
        SettingsError, UsageError: nothing is decided yet and the proposer cannot start; no folder is left behind.
        OutputRefused: the folder is another run's, or was begun with other arguments.
    """
    root = resolve_root(identity.request.output_root, identity.run_id, runs)
    execution = require_usable(facts, identity.request.execution_id)
    if not RunFolder(root).path(OUTCOME_FILE).is_file():
        require_startable(identity.request, settings, model)
        _weights(facts, identity.request.execution_id)
    run = Run(identity, execution, claim_run_folder(root, identity.trace_id))
    _require_same_request(run)
    return run


def prepare_resumed(
    identity: RunIdentity,
    facts: FactsDatabase,
    settings: Settings,
    model: ReadModel,
    runs: Path = Path(OUTPUT_ROOT),
) -> Run:
    """The run that was cut off and is resumed: it keeps the trace id it had.

    Raises:
        OutputRefused: there is none, it is complete, or it was started with other arguments.
    """
    root = resolve_root(identity.request.output_root, identity.run_id, runs)
    execution = require_usable(facts, identity.request.execution_id)
    require_startable(identity.request, settings, model)
    folder = open_resumed(root)
    run = Run(replace(identity, trace_id=read_owner(folder) or identity.trace_id), execution, folder)
    require_incomplete(run)
    _require_same_request(run)
    return run


def require_incomplete(run: Run) -> None:
    """To be asked again under the folder's lock: another process may have finished the run meanwhile.

    Raises:
        OutputRefused: the run is complete.
    """
    if run.folder.is_complete():
        raise OutputRefused(f"run {run.folder.root.name!r} is complete", "nothing is left to resume")


def store_weight_scores(run: Run, facts: FactsDatabase) -> WeightScores:
    """The weight scores of the execution, also as the files that the tools read (D-020)."""
    weights = _weights(facts, run.request.execution_id)
    write_weight_files(run.folder, weights)
    return weights


def _weights(facts: FactsDatabase, execution_id: int) -> WeightScores:
    with facts.snapshot() as snapshot:
        return read_weight_scores(snapshot, execution_id)


def _require_same_request(run: Run) -> None:
    """A run goes on as it was asked for: anything else would mix two runs in one folder."""
    asked = run.request.model_dump(mode="json", exclude=MAY_DIFFER) | {"output_mode": run.mode}
    kept = run.folder.read_json(REQUEST)
    if kept is None:
        run.folder.write_json(REQUEST, asked)
    elif kept != asked:
        raise OutputRefused(f"run {run.folder.root.name!r} was started with other arguments", "resume it with the same")
