"""The scorecard tells whether the closure admits what it must not (D-074)."""

from __future__ import annotations

import pytest

from demand_assets.evidence import rules
from demand_assets.scorecard.candidate_faults import CANDIDATE_FAULTS
from demand_assets.scorecard.fact_faults import FACT_FAULTS
from demand_assets.scorecard.pack_faults import PACK_FAULTS
from demand_assets.scorecard.report import Scorecard, score
from tests.small_facts import FactWorld

EXECUTION = 581
CLASSES = [*(fault.name for fault in (*CANDIDATE_FAULTS, *FACT_FAULTS)), *PACK_FAULTS]
INVENTED_NAME = "invented element name"


def scored(world: FactWorld, cases: int) -> Scorecard:
    with world.open() as facts:
        return score(facts, EXECUTION, cases, seed=7)


def test_d074_no_fault_of_any_class_is_admitted_and_each_has_its_code(sqlite_world: FactWorld) -> None:
    card = scored(sqlite_world, 2 * len(CLASSES))
    assert [line.fault for line in card.lines] == CLASSES
    assert (card.admitted, card.false_rejects, card.wrongly_accepted) == (0, 0, 0)
    assert card.untouched > 0
    assert card.clean, [line for line in card.lines if line.other_code]
    assert all(line.right_code == line.cases for line in card.lines)


def test_d089_what_a_broken_closure_admits_is_counted(sqlite_world: FactWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    without_terms = tuple(rule for rule in rules._EVIDENCE_RULES if rule is not rules._terms)
    monkeypatch.setattr(rules, "_EVIDENCE_RULES", without_terms)
    card = scored(sqlite_world, 3 * len(CLASSES))
    by_name = {line.fault: line for line in card.lines}
    assert by_name[INVENTED_NAME].admitted == by_name[INVENTED_NAME].cases == 3
    assert card.admitted == sum(line.admitted for line in card.lines) >= 3
    assert not card.clean
    assert (card.as_dict()["admitted"], card.as_dict()["clean"]) == (card.admitted, False)


def test_d074_a_class_that_had_no_case_is_named(sqlite_world: FactWorld) -> None:
    card = scored(sqlite_world, 1)
    assert card.cases == 1
    assert len(card.untested) == len(CLASSES) - 1
