"""Rules over rows that may stand for nothing: a task without candidates has one row whose other columns are empty.

These pass over empty columns, so that a batch of failed tasks is no fault of its pool; that the emptiness has a reason
is what the ``complete`` checks ask. A frame writes ``NOTHING`` or ``NO_NUMBER`` where a row is there and its value not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from expectations.engine.rules import Rule

NO_NUMBER = -math.inf


def among(rule_id: str, column: str, values: Sequence[object], fix: str) -> tuple[Rule, ...]:
    """The column is empty or holds one of the values."""
    says = f"{column} is {' or '.join(map(str, values))}"
    return (Rule(rule_id, says, "ExpectColumnValuesToBeInSet", {"column": column, "value_set": list(values)}, fix),)


def between(rule_id: str, column: str, low: float | None, high: float | None, fix: str) -> tuple[Rule, ...]:
    """The column is empty or lies in [low, high]; ``None`` leaves that end open."""
    says = f"{column} is in {'' if low is None else low} … {'' if high is None else high}"
    arguments = {"column": column, "min_value": low, "max_value": high}
    return (Rule(rule_id, says, "ExpectColumnValuesToBeBetween", arguments, fix),)


def shaped(rule_id: str, column: str, pattern: str, fix: str) -> tuple[Rule, ...]:
    """The column is empty or matches the regular expression."""
    says = f"{column} matches {pattern}"
    return (Rule(rule_id, says, "ExpectColumnValuesToMatchRegex", {"column": column, "regex": pattern}, fix),)


def agreeing(rule_id: str, column: str, other: str, fix: str) -> tuple[Rule, ...]:
    """The two columns are equal, or both are empty."""
    arguments = {"column_A": column, "column_B": other, "ignore_row_if": "both_values_are_missing"}
    return (Rule(rule_id, f"{column} equals {other}", "ExpectColumnPairValuesToBeEqual", arguments, fix),)
