"""What a reject says (D-043, D-043a): all failing rules in order, one sentence, corrections, the candidate as given."""

from __future__ import annotations

import pytest

from demand_assets.evidence.codes import RULE_OF_CODE, RejectCode
from demand_assets.evidence.refs import Broken
from tests.demand_assets.evidence.deciding import decisions, rejected
from tests.small_facts import FactWorld, good_candidate

TABLE = [
    ("malformed_refs", "D-011"),
    ("source_kind_not_supported", "D-012"),
    ("execution_not_usable", "D-030"),
    ("itemset_not_found", "D-031"),
    ("itemset_other_execution", "D-032"),
    ("scope_not_topic", "D-033"),
    ("config_not_closed", "D-033"),
    ("itemset_not_single", "D-034"),
    ("category_not_closed", "D-035"),
    ("post_count_mismatch", "D-036"),
    ("source_post_not_matched", "D-037"),
    ("element_not_bound", "D-038"),
    ("category_not_in_itemset", "D-039"),
    ("case_not_matched", "D-040"),
    ("element_names_not_covered", "D-041"),
    ("seed_terms_not_covered", "D-041"),
    ("facts_unreadable", "D-042"),
]


def test_d043_the_codes_stand_in_the_order_of_the_table() -> None:
    assert [(str(code), RULE_OF_CODE[code]) for code in RejectCode] == TABLE


def everything_wrong() -> dict[str, object]:
    refs = {
        "source_kind": "direct_case",
        "itemset_ids": [1004, 2001, 999],
        "category_ids": [13],
        "source_post_id": "p9",
        "case_ids": {"pattern_itemset": ["p8"]},
        "seed_terms": ["狗"],
    }
    return good_candidate(element_names=["狗"], refs=refs)


def test_d043_all_failing_rules_are_listed_and_the_first_gives_the_code(world: FactWorld) -> None:
    world.alter(
        "UPDATE pattern_itemset_item SET category_id = NULL WHERE itemset_id = 1004",
        "UPDATE pattern_itemset SET absolute_support = 9 WHERE id = 1004",
    )

    reject = rejected(world, everything_wrong(), execution_id=580)

    assert reject.reject_codes == [code for code, _ in TABLE[1:-1]]
    assert reject.reject_code == "source_kind_not_supported"
    assert reject.validation_status == "failed"


def test_d043_every_finding_has_a_correction_with_its_rule(still_world: FactWorld) -> None:
    reject = rejected(still_world, everything_wrong())

    assert list(dict.fromkeys(c.code for c in reject.corrections)) == reject.reject_codes
    assert all(c.rule_id == RULE_OF_CODE[c.code] and c.message for c in reject.corrections)
    assert reject.reject_reason == reject.corrections[0].message


def test_d043_the_candidate_is_kept_as_given(still_world: FactWorld) -> None:
    given = good_candidate(element_names=["狗", "🫠"], refs={"extra": {"deep": [1, 2**60, None]}}, mood="new")

    reject = rejected(still_world, given)

    assert reject.candidate == given
    assert reject.element_names == ["狗", "🫠"]


@pytest.mark.parametrize(
    ("changes", "code", "offending", "nearest"),
    [
        ({"refs": {"source_post_id": "p33"}}, "source_post_not_matched", "p33", "p3"),
        ({"refs": {"case_ids": {"pattern_itemset": ["p22"]}}}, "case_not_matched", "p22", "p2"),
        ({"element_names": ["治癒愈"]}, "element_names_not_covered", "治癒愈", "治愈"),
        ({"refs": {"seed_terms": ["神兵"]}}, "seed_terms_not_covered", "神兵", "🫠神兵𠮷"),
        ({"refs": {"category_ids": [14]}}, "category_not_in_itemset", "14", "12"),
        ({"refs": {"itemset_ids": [2001]}}, "itemset_other_execution", "2001", "execution_id 584"),
        ({"refs": {"source_kind": "x"}}, "source_kind_not_supported", "x", "pattern_itemset"),
        ({"refs": {"itemset_ids": [1004]}}, "scope_not_topic", "script", "topic"),
    ],
)
def test_d043a_a_correction_names_the_nearest_valid_value(
    still_world: FactWorld, changes: dict[str, object], code: str, offending: str, nearest: str
) -> None:
    corrections = rejected(still_world, **changes).corrections

    assert (offending, nearest) in [(c.offending, c.nearest) for c in corrections if c.code == code]


@pytest.mark.parametrize("execution_id", [581, 580, 9999])
def test_d043_the_reason_is_one_line_that_names_the_execution(still_world: FactWorld, execution_id: int) -> None:
    for candidate in (everything_wrong(), good_candidate(refs={"source_post_id": "p\n9"})):
        for correction in rejected(still_world, candidate, execution_id=execution_id).corrections:
            assert "\n" not in correction.message
            if correction.code != "source_kind_not_supported":
                assert "execution_id" in correction.message


def test_d043_something_that_is_no_candidate_keeps_its_text(still_world: FactWorld) -> None:
    reject = rejected(still_world, Broken('{"element_names": [', "line 3: not strict JSON"))

    assert reject.reject_code == "malformed_refs"
    assert reject.reject_reason == "line 3: not strict JSON"
    assert reject.candidate == '{"element_names": ['


def test_d052_the_abandoned_source_is_refused_and_not_repeated(still_world: FactWorld) -> None:
    candidates = [
        good_candidate(reason="从 mysql_topic_pattern 得出"),
        good_candidate(refs={"notes": "topic_pattern_itemset"}),
        good_candidate(refs={"source_kind": "mysql_topic_pattern"}),
    ]

    for reject in decisions(still_world, *candidates):
        assert reject.reject_code == "malformed_refs"
        assert "topic_pattern" not in reject.model_dump_json()
