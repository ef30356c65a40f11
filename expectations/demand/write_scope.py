"""Suite ``write_scope``: a run touched only what its mode may touch (D-002, D-061, D-063)."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from expectations.engine.rules import KEY, Suite, one_of, rows_exist, within

EFFECTS = "effects"
ALLOWED_STATEMENTS = frozenset({"SELECT demand_content", "INSERT demand_content", "UPDATE demand_content"})
_FIX = "stop the job: something other than the allowed output was written"

SUITE = Suite(
    name="write_scope",
    frame=EFFECTS,
    description="Only INSERT and UPDATE on demand_content, or only files of the run folder; nothing else.",
    blocking=False,
    rules=(
        *rows_exist(),
        *one_of("D-063", "allowed", [True], _FIX),
        *within("D-063", "times", 1, None, _FIX),
    ),
)


def statement_effects(statements: Mapping[str, int]) -> pd.DataFrame:
    """Effects on a store: how often each ``VERB table`` was sent."""
    rows = [(effect, effect in ALLOWED_STATEMENTS, times) for effect, times in sorted(statements.items())]
    return pd.DataFrame(rows, columns=[KEY, "allowed", "times"])


def file_effects(files: Mapping[str, int], allowed: frozenset[str]) -> pd.DataFrame:
    """Effects on disk: bytes of each file that stands in the run folder, by its name there."""
    rows = [(name, name in allowed, size) for name, size in sorted(files.items())]
    return pd.DataFrame(rows, columns=[KEY, "allowed", "times"])
