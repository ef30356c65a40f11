"""Rules over rows that may stand for nothing: a task without candidates has one row whose other columns are empty.

These pass over empty columns, so that a batch of failed tasks is no fault of its pool; that the emptiness has a reason
is what the ``complete`` checks ask. A frame writes ``NOTHING`` or ``NO_NUMBER`` where a row is there and its value not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

from expectations.engine.rules import Rule, Suite

NO_NUMBER = -math.inf
CLOCKS_APART_S = 300
SET_CLOCKS = "set the clocks of this machine and of the store's server, which differ"


def suite(name: str, frame: str, description: str, *rules: tuple[Rule, ...], blocking: bool = False) -> Suite:
    """A suite over one frame of the supply half."""
    return Suite(name, frame, description, blocking, tuple(chain.from_iterable(rules)))


def among(rule_id: str, columns: str | Sequence[str], values: Sequence[object], fix: str) -> tuple[Rule, ...]:
    """Each column is empty or holds one of the values."""
    says = f"is {' or '.join(map(str, values))}"
    return tuple(
        Rule(rule_id, f"{name} {says}", "ExpectColumnValuesToBeInSet", {"column": name, "value_set": list(values)}, fix)
        for name in _names(columns)
    )


def between(
    rule_id: str, columns: str | Sequence[str], low: float | None, high: float | None, fix: str
) -> tuple[Rule, ...]:
    """Each column is empty or lies in [low, high]; ``None`` leaves that end open."""
    says = f"is in {'' if low is None else low} … {'' if high is None else high}"
    bounds = {"min_value": low, "max_value": high}
    return tuple(
        Rule(rule_id, f"{name} {says}", "ExpectColumnValuesToBeBetween", {"column": name, **bounds}, fix)
        for name in _names(columns)
    )


def clocks_agree() -> tuple[Rule, ...]:
    """No time of a row lies further in the future than clocks may be apart."""
    return between("S-041", "ahead_s", None, CLOCKS_APART_S, SET_CLOCKS)


def shaped(rule_id: str, column: str, pattern: str, fix: str) -> tuple[Rule, ...]:
    """The column is empty or matches the regular expression."""
    says = f"{column} matches {pattern}"
    return (Rule(rule_id, says, "ExpectColumnValuesToMatchRegex", {"column": column, "regex": pattern}, fix),)


def agreeing(rule_id: str, column: str, other: str, fix: str) -> tuple[Rule, ...]:
    """The two columns are equal, or both are empty."""
    arguments = {"column_A": column, "column_B": other, "ignore_row_if": "both_values_are_missing"}
    return (Rule(rule_id, f"{column} equals {other}", "ExpectColumnPairValuesToBeEqual", arguments, fix),)


def _names(columns: str | Sequence[str]) -> Sequence[str]:
    return [columns] if isinstance(columns, str) else columns
