"""Proving published packs against today's facts (D-066, D-072, D-073): every altered field is found, no other."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from demand_assets.evidence.closure import decide
from demand_assets.evidence.pack import EvidencePack
from demand_assets.evidence.reproof import Drift, Published, reprove, require_proven
from resources.foundation.errors import PackRefused
from tests.demand_assets.evidence.deciding import PROVENANCE, accepted_pack
from tests.small_facts import FactWorld, good_candidate

NAME = "猫,治愈"

UNPROVABLE_FIELDS = frozenset({"trace_id", "demand_task_id", "demand_content_id"})


def drifts(world: FactWorld, *packs: EvidencePack, name: str = NAME) -> list[Drift]:
    published = [Published(str(place), name, pack) for place, pack in enumerate(packs)]
    with world.open() as facts, facts.snapshot() as snapshot:
        return reprove(snapshot, published)


def pack_of_584(world: FactWorld) -> EvidencePack:
    refs = {"itemset_ids": [2001], "category_ids": [], "case_ids": {}, "source_post_id": "q1"}
    with world.open() as facts, facts.snapshot() as snapshot:
        return decide(snapshot, 584, [good_candidate(refs=refs)], PROVENANCE)[0].pack


def test_d073_untouched_packs_of_two_executions_close(world: FactWorld) -> None:
    assert (
        drifts(world, accepted_pack(world), pack_of_584(world), accepted_pack(world, refs={"source_post_id": "p2"}))
        == []
    )


def test_d073_each_pack_is_proved_in_its_own_execution(world: FactWorld) -> None:
    packs = [accepted_pack(world), pack_of_584(world)]
    world.alter("UPDATE pattern_itemset SET support = 0.25 WHERE id = 2001")

    (drift,) = drifts(world, *packs)

    assert (drift.key, drift.rule_id, drift.code) == ("1", "D-034", "pack_differs")
    assert drift.message == "support is '1.0' in the pack and '0.25' in the facts"


def nested(field: str, **changes: Any) -> dict[str, Any]:
    """The first entry of a list of the pack with some values changed; the pack itself is not validated."""
    return {"field": field, "changes": changes}


ALTERATIONS: list[tuple[str, Any, str]] = [
    ("pattern_execution_id", 584, "D-032"),
    ("pattern_execution_id", 580, "D-030"),
    ("pattern_execution_id", 9999, "D-030"),
    ("mining_config_id", 2111, "D-033"),
    ("source_kind", "direct_case", "D-012"),
    ("itemset_ids", [999], "D-031"),
    ("itemset_ids", [1004], "D-033"),
    ("support", 0.51, "D-034"),
    ("absolute_support", 4, "D-036"),
    ("matched_post_ids", ["p1", "p2", "p4"], "D-036"),
    ("matched_post_ids", ["p1", "p3", "p2"], "D-036"),
    ("case_ids", ["p1", "p2", "p4"], "D-040"),
    ("case_ids", ["p1", "p2"], "D-051"),
    ("source_post_id", "p9", "D-037"),
    ("source_post_id", "p2", "D-038"),
    ("seed_terms", ["狗"], "D-041"),
    *(
        ("category_bindings", nested("category_bindings", **{name: value}), rule)
        for name, value, rule in (
            ("itemset_id", 1002, "D-035"),
            ("itemset_item_id", 3, "D-035"),
            ("category_id", 13, "D-039"),
            ("category_name", "狗", "D-035"),
            ("category_path", "/狗", "D-035"),
            ("category_full_path", "/狗", "D-035"),
            ("point_type", "x", "D-035"),
            ("dimension", "x", "D-035"),
            ("element_name", "狗", "D-035"),
        )
    ),
    *(
        ("element_bindings", nested("element_bindings", **{name: value}), "D-038")
        for name, value in (
            ("itemset_id", 1002),
            ("itemset_item_id", 3),
            ("category_id", 13),
            ("point_type", "x"),
            ("dimension", "x"),
            ("element_name", "狗"),
            ("matched_element_count", 2),
            ("matched_post_count", 2),
            ("matched_post_ids", ["p2"]),
        )
    ),
    *(
        ("itemset_items", nested("itemset_items", **{name: value}), "D-035")
        for name, value in (
            ("itemset_id", 1002),
            ("category_id", 13),
            ("category_path", "/狗"),
            ("point_type", "x"),
            ("dimension", "x"),
            ("element_name", "狗"),
        )
    ),
    ("category_bindings", [], "D-035"),
    ("element_bindings", [], "D-038"),
    ("itemset_items", [], "D-035"),
]


@pytest.mark.parametrize(("field", "value", "rule"), ALTERATIONS, ids=str)
def test_d072_each_altered_field_is_found(still_world: FactWorld, field: str, value: Any, rule: str) -> None:
    pack = accepted_pack(still_world)
    if isinstance(value, dict):
        first, *rest = getattr(pack, value["field"])
        value = [first.model_copy(update=value["changes"]), *rest]

    found = drifts(still_world, pack, pack.model_copy(update={field: value}), pack)

    assert {drift.key for drift in found} == {"1"}
    assert rule in {drift.rule_id for drift in found}


OTHER_VALUE: dict[str, Any] = {"pattern_source_system": "x", "case_id_type": "x", "decode_case_ids": ["x"]}
OTHER_VALUE |= {"source_certainty": "x", "validation_status": "x"}


def test_d073_no_field_of_the_pack_escapes(still_world: FactWorld) -> None:
    proved = {field for field, _, _ in ALTERATIONS}
    assert proved | OTHER_VALUE.keys() | UNPROVABLE_FIELDS == set(EvidencePack.model_fields)

    pack = accepted_pack(still_world)
    for field, value in OTHER_VALUE.items():
        with pytest.raises(ValidationError, match=field):
            EvidencePack.model_validate(pack.model_dump() | {field: value})


def test_d073_what_no_fact_can_prove_is_left_alone(still_world: FactWorld) -> None:
    changed = {"trace_id": "other", "demand_task_id": 9, "demand_content_id": 9}

    assert changed.keys() == UNPROVABLE_FIELDS
    assert drifts(still_world, accepted_pack(still_world).model_copy(update=changed)) == []


TODAY = [
    ("UPDATE pattern_mining_execution SET status = 'failed' WHERE id = 581", "execution_not_usable", "D-030"),
    ("DELETE FROM pattern_itemset WHERE id = 1001", "itemset_not_found", "D-031"),
    ("UPDATE pattern_itemset SET scope = 'script' WHERE id = 1001", "scope_not_topic", "D-033"),
    ("UPDATE pattern_mining_config SET scope = 'script' WHERE id = 2081", "config_not_closed", "D-033"),
    ("UPDATE pattern_mining_category SET path = '' WHERE id = 11", "category_not_closed", "D-035"),
    ("UPDATE pattern_mining_category SET name = '狗' WHERE id = 11", "pack_differs", "D-035"),
    ("UPDATE pattern_mining_category SET path = '/狗' WHERE id = 11", "pack_differs", "D-035"),
    ("DELETE FROM pattern_itemset_post WHERE itemset_id = 1001 AND post_id = 'p3'", "post_count_mismatch", "D-036"),
    ("DELETE FROM pattern_itemset_post WHERE itemset_id = 1001 AND post_id = 'p1'", "source_post_not_matched", "D-037"),
    ("DELETE FROM pattern_mining_element WHERE post_id = 'p1' AND category_id = 11", "element_not_bound", "D-038"),
    ("DELETE FROM pattern_mining_element WHERE element_name = '🫠神兵𠮷'", "pack_differs", "D-038"),
    ("UPDATE pattern_itemset SET support = NULL WHERE id = 1001", "pack_differs", "D-050"),
    ("UPDATE pattern_itemset SET support = 0.49 WHERE id = 1001", "pack_differs", "D-034"),
]


@pytest.mark.parametrize(("alteration", "code", "rule"), TODAY)
def test_d073_drift_is_found_after_the_facts_were_altered(
    world: FactWorld, alteration: str, code: str, rule: str
) -> None:
    pack, other = accepted_pack(world), pack_of_584(world)
    world.alter(alteration)

    found = drifts(world, pack, other)

    assert {drift.key for drift in found} == {"0"}
    assert (code, rule) in {(drift.code, drift.rule_id) for drift in found}


def test_d073_a_whole_other_support_is_drift(world: FactWorld) -> None:
    pack = accepted_pack(world)
    world.alter(
        "INSERT INTO pattern_itemset_post (itemset_id, post_id) VALUES (1001, 'p4')",
        "UPDATE pattern_itemset SET absolute_support = 4 WHERE id = 1001",
    )

    assert {drift.message.split(" ")[0] for drift in drifts(world, pack)} == {
        "absolute_support",
        "matched_post_ids",
        "case_ids",
    }


def test_d060_a_name_that_holds_commas_closes_again(sqlite_world: FactWorld) -> None:
    sqlite_world.alter("UPDATE pattern_mining_element SET element_name = '治,愈' WHERE element_name = '治愈'")
    pack = accepted_pack(sqlite_world, element_names=["猫", "治,愈"], refs={"seed_terms": []})

    assert drifts(sqlite_world, pack, name="猫,治,愈") == []
    assert {drift.code for drift in drifts(sqlite_world, pack, name="猫,治,癒")} == {"element_names_not_covered"}


def test_d066_require_proven_refuses_all_and_names_the_first(still_world: FactWorld) -> None:
    pack = accepted_pack(still_world)
    published = [Published("a", NAME, pack), Published("b", NAME, pack.model_copy(update={"support": 0.4}))]

    with still_world.open() as facts, facts.snapshot() as snapshot:
        require_proven(snapshot, published[:1], "sink")
        with pytest.raises(PackRefused, match=r"sink: 1 of 2 packs do not close; first b: D-034 support is '0\.4'"):
            require_proven(snapshot, published, "sink")
