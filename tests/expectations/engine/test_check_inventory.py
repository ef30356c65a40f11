"""What may not stand in any rule, and that no check can be lost by accident."""

from __future__ import annotations

from demand_assets.definitions import defs as demand_defs
from expectations.demand.suites import EVIDENCE_SUITES, OUTPUT_SUITES
from expectations.engine.rules import Rule
from expectations.supply.suites import SUPPLY_SUITES
from supply_assets.definitions import defs as supply_defs

SUITES = [
    *(suite for group in (EVIDENCE_SUITES, OUTPUT_SUITES) for suites in group.values() for suite in suites),
    *(suite for group in SUPPLY_SUITES.values() for suites in group.values() for suite in suites),
]
RULES: list[Rule] = [rule for suite in SUITES for rule in suite.rules]


def test_ck11_uniqueness_is_left_to_the_databases_own_keys():
    """Great Expectations passes over nulls and knows no collation: its verdict would not be the key's."""
    assert not [rule for rule in RULES if "Unique" in rule.expectation]


def test_ck13_no_rule_asks_for_an_exact_number_of_rows():
    counting = [rule for rule in RULES if "RowCount" in rule.expectation]
    assert counting
    for rule in counting:
        assert rule.expectation == "ExpectTableRowCountToBeBetween"
        assert set(rule.arguments) == {"min_value"}


def test_ck13_every_suite_is_a_check_of_its_location_and_none_is_empty():
    assert all(suite.rules for suite in SUITES)
    demand = {key.name for key in _checks(demand_defs)}
    assert demand >= {*EVIDENCE_SUITES, *OUTPUT_SUITES}
    supply = {(key.asset_key.to_user_string(), key.name) for key in _checks(supply_defs)}
    assert supply >= {(asset, name) for asset, group in SUPPLY_SUITES.items() for name in group}
    assert len(demand) >= 8
    assert len(supply) >= 24


def _checks(definitions):
    return definitions.resolve_asset_graph().asset_check_keys
