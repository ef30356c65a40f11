"""What deciding and publishing came to, kept in the run folder for the manifest of the same run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from demand_assets.decisions.decision_loop import Outcome
from demand_assets.outputs.ledger import counts
from demand_assets.outputs.run_folder import RunFolder
from resources.foundation.errors import OutputRefused

OUTCOME_FILE = "intermediate/result/outcome.json"
PUBLISHED_FILE = "intermediate/result/published.json"


def outcome_summary(outcome: Outcome, wanted: int) -> dict[str, Any]:
    """Counts, stop reason, proposer and cost; the part of the manifest that deciding knows."""
    identity = outcome.identity
    return {
        "counts": counts(outcome, wanted),
        "stop_reason": str(outcome.stop_reason),
        "failure": outcome.failure or None,
        "proposer": identity.proposer,
        "model": identity.model,
        "prompt_sha256": identity.prompt_sha256,
        "proposer_settings": identity.settings,
        "token_use": asdict(outcome.usage),
    }


def write_outcome(folder: RunFolder, outcome: Outcome, wanted: int) -> None:
    """Keep the summary in the run folder."""
    folder.write_json(OUTCOME_FILE, outcome_summary(outcome, wanted))


def read_outcome(folder: RunFolder) -> dict[str, Any]:
    """The summary kept by :func:`write_outcome`.

    Raises:
        OutputRefused: this run did not propose and decide.
    """
    return _kept(folder, OUTCOME_FILE, "propose and decide")


def write_published(folder: RunFolder, inserted: int, skipped: int) -> None:
    """Keep how many rows were new and how many stood already."""
    folder.write_json(PUBLISHED_FILE, {"inserted": inserted, "skipped": skipped})


def read_published(folder: RunFolder) -> dict[str, int]:
    """What :func:`write_published` kept.

    Raises:
        OutputRefused: this run did not publish.
    """
    return _kept(folder, PUBLISHED_FILE, "publish")


def _kept(folder: RunFolder, file: str, step: str) -> dict[str, Any]:
    kept: dict[str, Any] | None = folder.read_json(file)
    if kept is None:
        raise OutputRefused(f"run_manifest describes one whole run, and this run did not {step}", "start the whole job")
    return kept
