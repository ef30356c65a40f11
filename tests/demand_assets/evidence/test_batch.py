"""Many candidates at once: no one takes another with it (D-044), and no statement more is sent (section 4)."""

from __future__ import annotations

import gc
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from demand_assets.evidence.closure import Accepted, decide
from demand_assets.evidence.refs import Broken
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation.errors import FactsUnreadable
from tests.demand_assets.evidence.deciding import PROVENANCE, category_candidate, decisions
from tests.small_facts import FactWorld, good_candidate

ANY_TEXT = st.text(st.characters(), max_size=12) | st.sampled_from(["\x00", "\ud800", "猫", "ITEMSET-12", "9" * 5000])
ANY_NUMBER = st.integers() | st.sampled_from([2**53 + 1, 2**63, 10**4000, math.inf, math.nan, 1.5, True])
JUNK = st.recursive(
    st.none() | ANY_NUMBER | ANY_TEXT | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
REFS_FIELDS = ["source_kind", "itemset_ids", "category_ids", "source_post_id", "case_ids", "seed_terms", "notes"]
SPOILT_REFS = st.builds(lambda field, junk: good_candidate(refs={field: junk}), st.sampled_from(REFS_FIELDS), JUNK)
SPOILT_LISTS = st.builds(lambda field, junk: good_candidate(refs={field: [junk]}), st.sampled_from(REFS_FIELDS), JUNK)
SPOILT_FIELDS = st.builds(
    lambda field, junk: good_candidate() | {field: junk},
    st.sampled_from(["element_names", "reason", "desc", "type", "evidence_refs"]),
    JUNK,
)
BROKEN = st.builds(Broken, ANY_TEXT, st.text(max_size=5))
GOOD = (good_candidate(), category_candidate())


@pytest.fixture(scope="module")
def facts(still_world: FactWorld) -> FactsDatabase:
    return FactsDatabase(still_world.url)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(junk=st.lists(JUNK | SPOILT_REFS | SPOILT_LISTS | SPOILT_FIELDS | BROKEN, max_size=6), data=st.data())
def test_d044_no_junk_takes_a_good_candidate_with_it(
    facts: FactsDatabase, junk: list[object], data: st.DataObject
) -> None:
    mixed = data.draw(st.permutations([*junk, *GOOD]))

    with facts.snapshot() as snapshot:
        alone = decide(snapshot, 581, GOOD, PROVENANCE)
        together = decide(snapshot, 581, mixed, PROVENANCE)

    assert len(together) == len(mixed)
    for good, decision in zip(GOOD, alone, strict=True):
        assert isinstance(decision, Accepted)
        assert together[next(i for i, c in enumerate(mixed) if c is good)] == decision
    for decision in together:
        if not isinstance(decision, Accepted):
            assert decision.model_dump(mode="json")["reject_reason"] is not None


def test_d044_numbers_too_long_to_print_take_no_one_with_them(still_world: FactWorld) -> None:
    huge = 10**5000
    bad = [huge, {"x": huge}, good_candidate(element_names=[huge]), good_candidate(refs={"itemset_ids": [huge]})]

    *spoilt, good = decisions(still_world, *bad, good_candidate())

    assert [decision.reject_code for decision in spoilt] == ["malformed_refs"] * 4
    assert isinstance(good, Accepted)


def test_d044_each_kind_of_bad_candidate_among_good_ones(world: FactWorld) -> None:
    world.alter("UPDATE pattern_itemset SET support = NULL WHERE id = 1003")
    refs = {"itemset_ids": [1003], "category_ids": [], "source_post_id": "p5", "case_ids": {}, "seed_terms": []}
    bad = [
        None,
        Broken("{", "line 1: not JSON"),
        good_candidate(refs={"itemset_ids": ["ITEMSET-12"]}),
        good_candidate(refs={"itemset_ids": [999]}),
        good_candidate(refs={"source_post_id": "\x00"}),
        good_candidate(element_names=["降价50%"], refs=refs),
    ]

    found = decisions(world, good_candidate(), *bad, good_candidate())

    verdicts = [getattr(decision, "reject_code", "accepted") for decision in found]
    wanted = [*["malformed_refs"] * 3, "itemset_not_found", "malformed_refs", "facts_unreadable"]
    assert verdicts == ["accepted", *wanted, "accepted"]
    assert found[0] == found[-1]


def test_d042_a_fact_that_no_pack_can_carry_is_named(world: FactWorld) -> None:
    world.alter("UPDATE pattern_itemset SET support = NULL WHERE id = 1001")

    (reject,) = decisions(world, good_candidate())

    assert reject.reject_codes == ["facts_unreadable"]
    assert "itemset_id 1001 of execution_id 581" in reject.reject_reason
    assert reject.corrections[0].offending == "support"


def test_d044_the_collector_runs_again_after_a_decision(sqlite_world: FactWorld) -> None:
    decisions(sqlite_world, good_candidate())
    assert gc.isenabled()

    sqlite_world.alter("DROP TABLE pattern_itemset_post")
    with pytest.raises(FactsUnreadable):
        decisions(sqlite_world, good_candidate())
    assert gc.isenabled()


def test_d044_a_decision_does_not_depend_on_the_company(world: FactWorld) -> None:
    candidates = [good_candidate(refs={"source_post_id": post}) for post in ("p1", "p2", "p3", "p4")]

    assert decisions(world, *candidates) == [decisions(world, candidate)[0] for candidate in candidates]


def test_section_4_the_number_of_statements_does_not_grow(world: FactWorld) -> None:
    def many(number: int) -> list[object]:
        made = [
            good_candidate(refs={"itemset_ids": [1001 + n % 900], "source_post_id": f"p{n}"}) for n in range(number)
        ]
        return [*made, {"broken": True}]

    sent: list[str] = []
    with world.open() as facts:
        event.listen(facts.engine, "before_cursor_execute", lambda *arguments: sent.append(arguments[2]))
        counts = []
        for number in (1, 200):
            with facts.snapshot() as snapshot:
                sent.clear()
                assert len(decide(snapshot, 581, many(number), PROVENANCE)) == number + 1
                counts.append(len(sent))

    assert counts == [5, 5]
