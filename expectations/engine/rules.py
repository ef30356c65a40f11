"""How a rule is written: a few kinds of expectation, each closed against empty frames and nulls (D-071).

Great Expectations costs seconds to import, so a rule is plain data until :mod:`expectations.engine.validation` runs it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

KEY = "key"
NOTHING = "∅"


@dataclass(frozen=True)
class Rule:
    """One expectation: the rule it stands for, its class name in Great Expectations, its arguments, and the fix.

    Sets, ranges and patterns pass over nulls; ``null_becomes`` is the value that a null is taken for first, one that
    breaks the rule.
    """

    rule_id: str
    says: str
    expectation: str
    arguments: dict[str, Any]
    fix: str
    null_becomes: str | float | None = None


@dataclass(frozen=True)
class Suite:
    """A named list of rules over one frame; ``blocking`` suites guard the write of demand_content (D-070).

    Where its own rules hold, all that ``stands_for`` names hold for each row of the frame.
    """

    name: str
    frame: str
    description: str
    blocking: bool
    rules: tuple[Rule, ...]
    stands_for: tuple[Rule, ...] = ()


def rows_exist(rule_id: str = "D-071") -> tuple[Rule, ...]:
    """The frame has at least one row: no suite passes over nothing."""
    arguments = {"min_value": 1}
    return (Rule(rule_id, "there are rows to look at", "ExpectTableRowCountToBeBetween", arguments, "see the run"),)


def present(rule_id: str, columns: Sequence[str], fix: str) -> tuple[Rule, ...]:
    """No column holds a null."""
    return tuple(
        Rule(rule_id, f"{column} is there", "ExpectColumnValuesToNotBeNull", {"column": column}, fix)
        for column in columns
    )


def one_of(rule_id: str, column: str, values: Sequence[object], fix: str) -> tuple[Rule, ...]:
    """The column holds only the given values; a null is none of them."""
    arguments = {"column": column, "value_set": list(values)}
    says = f"{column} is {' or '.join(map(str, values))}"
    return (Rule(rule_id, says, "ExpectColumnValuesToBeInSet", arguments, fix, null_becomes=NOTHING),)


def within(rule_id: str, column: str, low: float, high: float | None, fix: str) -> tuple[Rule, ...]:
    """The column lies in [low, high]; a null lies below."""
    arguments = {"column": column, "min_value": low, "max_value": high}
    says = f"{column} is in {low} … {'' if high is None else high}"
    return (Rule(rule_id, says, "ExpectColumnValuesToBeBetween", arguments, fix, null_becomes=-math.inf),)


def matching(rule_id: str, column: str, pattern: str, fix: str) -> tuple[Rule, ...]:
    """The column is never null and matches the regular expression."""
    arguments = {"column": column, "regex": pattern}
    rule = Rule(rule_id, f"{column} matches {pattern}", "ExpectColumnValuesToMatchRegex", arguments, fix)
    return (*present(rule_id, [column], fix), rule)


def same(rule_id: str, pack_column: str, fact_column: str, fix: str) -> tuple[Rule, ...]:
    """What the pack says equals what the facts say; two nulls are not equal."""
    arguments = {"column_A": pack_column, "column_B": fact_column, "ignore_row_if": "neither"}
    says = f"{pack_column} equals {fact_column}"
    return (Rule(rule_id, says, "ExpectColumnPairValuesToBeEqual", arguments, fix),)
