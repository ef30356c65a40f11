"""Faults of candidates: what a proposer may claim wrongly. ``None``: these facts offer nothing to build it from."""

from __future__ import annotations

import copy
from typing import Any

from demand_assets.evidence.codes import RejectCode as Code
from demand_assets.evidence.terms import normal_form
from demand_assets.scorecard.sound_candidates import CaseMaterial, FaultClass, SoundCandidate, Spoil

INVENTED_ID = 9_007_199_254_740_993
INVENTED_TERM = "量子纠缠瑜伽"
INVENTED_POST = "f" * 32
LOOKALIKES = {"a": "а", "e": "е", "o": "о", "A": "А", "二": "⼆又", "口": "囗", "日": "曰", "人": "入", "己": "已"}


def _two_itemsets(sound: SoundCandidate, around: CaseMaterial) -> dict[str, Any] | None:
    other = around.other_than(sound)
    return sound.spoiled(itemset_ids=[*sound.pack.itemset_ids, *other.pack.itemset_ids]) if other else None


def _swapped_post(sound: SoundCandidate, around: CaseMaterial) -> dict[str, Any] | None:
    own = set(sound.pack.matched_post_ids)
    other = around.other_than(sound)
    strange = next((post for post in other.pack.matched_post_ids if post not in own), None) if other else None
    return sound.spoiled(source_post_id=strange) if strange else None


def _lookalike_post(sound: SoundCandidate, around: CaseMaterial) -> dict[str, Any]:
    post = sound.pack.source_post_id
    variants = (post + "\u200b", post + " ", post.upper() + "A", post[:-1], "0" + post)
    return sound.spoiled(source_post_id=around.rng.choice(variants))


def _category_of_elsewhere(sound: SoundCandidate, around: CaseMaterial) -> dict[str, Any]:
    own = {binding.category_id for binding in sound.pack.category_bindings}
    others = {b.category_id for s in around.sound for b in s.pack.category_bindings} - own
    return sound.spoiled(category_ids=[*sorted(own), min(others, default=INVENTED_ID)])


def _lookalike_name(sound: SoundCandidate, around: CaseMaterial) -> dict[str, Any]:
    names = list(sound.candidate["element_names"])
    place = around.rng.randrange(len(names))
    swapped = "".join(LOOKALIKES.get(character, character) for character in names[place])
    names[place] = swapped if swapped != names[place] else names[place] + "̈"
    return _with_names(sound, names)


def _true_word_of_another_itemset(sound: SoundCandidate, around: CaseMaterial) -> dict[str, Any] | None:
    other = around.other_than(sound)
    own = _words(sound)
    strange = (
        [b.element_name for b in other.pack.element_bindings if normal_form(b.element_name) not in own] if other else []
    )
    return _with_names(sound, [*sound.candidate["element_names"], strange[0]]) if strange else None


def _with_names(sound: SoundCandidate, names: list[str]) -> dict[str, Any]:
    return copy.deepcopy(sound.candidate) | {"element_names": names}


def _words(sound: SoundCandidate) -> set[str]:
    words = {b.element_name for b in sound.pack.element_bindings}
    for binding in sound.pack.category_bindings:
        words |= {binding.category_name or "", *binding.category_path.split("/")}
        words |= set((binding.category_full_path or "").split("/"))
    return {normal_form(word) for word in words}


CANDIDATE_FAULTS: dict[FaultClass, Spoil] = {
    FaultClass("invented itemset id", Code.ITEMSET_NOT_FOUND): lambda sound, _: sound.spoiled(
        itemset_ids=[INVENTED_ID]
    ),
    FaultClass("no itemset id", Code.ITEMSET_NOT_FOUND): lambda sound, _: sound.spoiled(itemset_ids=[]),
    FaultClass("itemset of another execution", Code.ITEMSET_OTHER_EXECUTION): lambda sound, around: (
        sound.spoiled(itemset_ids=[around.foreign_itemset_id]) if around.foreign_itemset_id else None
    ),
    FaultClass("itemset of another scope", Code.SCOPE_NOT_TOPIC): lambda sound, around: (
        sound.spoiled(itemset_ids=[around.other_scope_itemset_id]) if around.other_scope_itemset_id else None
    ),
    FaultClass("two itemsets", Code.ITEMSET_NOT_SINGLE): _two_itemsets,
    FaultClass("id as a label", Code.MALFORMED_REFS): lambda sound, _: sound.spoiled(
        itemset_ids=[f"ITEMSET-{sound.pack.itemset_ids[0]}"]
    ),
    FaultClass("id as a truth value", Code.MALFORMED_REFS): lambda sound, _: sound.spoiled(itemset_ids=[True]),
    FaultClass("id as a fraction", Code.MALFORMED_REFS): lambda sound, _: sound.spoiled(
        itemset_ids=[sound.pack.itemset_ids[0] + 0.5]
    ),
    FaultClass("no element name", Code.MALFORMED_REFS): lambda sound, _: sound.spoiled() | {"element_names": []},
    FaultClass("another source kind", Code.SOURCE_KIND_NOT_SUPPORTED): lambda sound, _: sound.spoiled(
        source_kind="direct_case"
    ),
    FaultClass("source post of another itemset", Code.SOURCE_POST_NOT_MATCHED): _swapped_post,
    FaultClass("no source post", Code.SOURCE_POST_NOT_MATCHED): lambda sound, _: sound.spoiled(source_post_id=None),
    FaultClass("look-alike source post", Code.SOURCE_POST_NOT_MATCHED): _lookalike_post,
    FaultClass("category of elsewhere", Code.CATEGORY_NOT_IN_ITEMSET): _category_of_elsewhere,
    FaultClass("invented case", Code.CASE_NOT_MATCHED): lambda sound, _: sound.spoiled(
        case_ids={"pattern_itemset": [INVENTED_POST]}
    ),
    FaultClass("matched post under another kind", Code.CASE_NOT_MATCHED): lambda sound, _: sound.spoiled(
        case_ids={"direct_case": [sound.pack.source_post_id]}
    ),
    FaultClass("invented element name", Code.ELEMENT_NAMES_NOT_COVERED): lambda sound, _: _with_names(
        sound, [*sound.candidate["element_names"], INVENTED_TERM]
    ),
    FaultClass("look-alike characters in a name", Code.ELEMENT_NAMES_NOT_COVERED): _lookalike_name,
    FaultClass("true word of another itemset", Code.ELEMENT_NAMES_NOT_COVERED): _true_word_of_another_itemset,
    FaultClass("invented seed term", Code.SEED_TERMS_NOT_COVERED): lambda sound, _: sound.spoiled(
        seed_terms=[*sound.candidate["evidence_refs"]["seed_terms"], INVENTED_TERM]
    ),
}
