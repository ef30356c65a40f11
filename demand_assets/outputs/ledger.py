"""The ledger of rejects and the counts of a run (D-043, D-043a, D-067), as plain values for files and frames."""

from __future__ import annotations

from typing import Any

from demand_assets.decisions.decision_loop import LedgerEntry, Outcome
from demand_assets.evidence.refs import storable_raw
from demand_assets.proposers.proposer import Identity
from resources.foundation.secret_masking import SecretMask


def ledger_rows(outcome: Outcome) -> list[dict[str, Any]]:
    """One reject a row, with who proposed it and when; the shape of ``rejected_demand_items.json``."""
    return [_ledger_row(entry, outcome.identity) for entry in outcome.rejects]


def _ledger_row(entry: LedgerEntry, identity: Identity) -> dict[str, Any]:
    return entry.reject.model_dump(mode="json") | {
        "seq": entry.seq,
        "round": entry.round,
        "proposer": identity.proposer,
        "model": identity.model,
        "prompt_version": identity.prompt_sha256,
    }


def item_rows(outcome: Outcome) -> list[dict[str, Any]]:
    """Every candidate with its verdict, as given but for secrets; the shape of ``demand_items.json``."""
    mask = SecretMask.of_environment()
    verdicts = {demand.seq: "accepted" for demand in outcome.accepted}
    verdicts |= {entry.seq: "rejected" for entry in outcome.rejects}
    verdicts |= dict.fromkeys(outcome.duplicates, "duplicate")
    return [
        {"seq": p.seq, "round": p.round, "verdict": verdicts[p.seq], "candidate": mask.hidden(storable_raw(p.raw))}
        for p in outcome.proposed
        if p.seq in verdicts
    ]


def counts(outcome: Outcome, wanted: int) -> dict[str, Any]:
    """Wanted, proposed, accepted, rejected by code, duplicates, and what a call and 1,000 tokens brought."""
    usage = outcome.usage
    accepted = len(outcome.accepted)
    return {
        "wanted": wanted,
        "proposed": len(outcome.proposed),
        "accepted": accepted,
        "rejected": len(outcome.rejects),
        "rejected_by_code": outcome.rejects_by_code(),
        "duplicates": len(outcome.duplicates),
        "rounds": outcome.rounds,
        "accepted_per_call": round(accepted / usage.calls, 4) if usage.calls else None,
        "accepted_per_1000_tokens": round(accepted * 1000 / usage.tokens, 4) if usage.tokens else None,
    }
