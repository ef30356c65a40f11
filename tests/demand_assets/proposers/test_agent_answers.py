"""Candidates out of model text: LM1, LM2, LM4, LM5, and D-014."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demand_assets.evidence.refs import Broken
from demand_assets.proposers.agent.answers import Entries, read_list, read_prose, read_single

ONE: dict[str, Any] = {
    "element_names": ["饺子"],
    "desc": "run ```x``` now",
    "evidence_refs": {"itemset_ids": [1]},
}
TWO: dict[str, Any] = {"element_names": ['春节 {"a": [1,]}'], "evidence_refs": {"itemset_ids": [2]}}


def dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{dump(ONE)}\n```",
        f"```json\n{dump(ONE)}",
        f"好的，候选如下：\n```\n{dump(ONE)}\n```\n请查收。",
        f"```json {dump(ONE)} ``` 以及 `{{project}}`",
        dump([ONE]),
        dump({"demands": [ONE]}),
        dump({"result": {"demands": [ONE]}}),
    ],
)
def test_lm1_fences_and_wrappers_never_cut_at_back_ticks_inside_strings(text: str) -> None:
    assert read_prose(text) == Entries([ONE])


@pytest.mark.parametrize("text", ["", "```json\n```", "没有合适的", "for {project}: nothing", '{"status": "done"}'])
def test_lm1_text_without_candidates_holds_none(text: str) -> None:
    assert read_prose(text) == Entries()


@pytest.mark.parametrize("text", ["[]", "```json\n[]\n```", '{"demands": []}'])
def test_d014_an_empty_list_says_that_there_is_nothing(text: str) -> None:
    assert read_prose(text) == Entries(stated_none=True)


def test_lm2_prose_with_braces_and_trailing_commas() -> None:
    text = f'for {{project}}: {{"demands":[{dump(ONE)[:-1]},}},{dump(TWO)},],}} and {{more}}'
    assert read_prose(text) == Entries([ONE, TWO])
    assert read_list(text.removeprefix("for {project}: ").removesuffix(" and {more}")) == Entries([ONE, TWO])


@pytest.mark.parametrize(
    "end",
    ['{"element_na', '{"element_names": ["a"], "desc": "half', '{"element_names": ["a"]', '"', "", "{"],
)
def test_lm4_what_is_complete_lives_and_the_cut_is_told(end: str) -> None:
    for text in (f'{{"demands": [{dump(ONE)}, {dump(TWO)}, {end}', f"[{dump(ONE)}, {dump(TWO)}, {end}"):
        assert read_list(text) == Entries([ONE, TWO], cut_off=True)
        assert read_prose(text) == Entries([ONE, TWO], cut_off=True)


def test_lm4_cut_exactly_at_a_bracket() -> None:
    assert read_list(f'{{"demands": [{dump(ONE)}') == Entries([ONE], cut_off=True)
    assert read_list(f'{{"demands": [{dump(ONE)}]') == Entries([ONE], cut_off=True)
    assert read_single(dump(ONE)[:-1]) == Entries(cut_off=True)


@pytest.mark.parametrize(
    "twice",
    [
        '{"element_names": ["a"], "evidence_refs": {"itemset_ids": [1]}, "evidence_refs": {"itemset_ids": [999]}}',
        '{"element_names": ["a"], "evidence_refs": {"itemset_ids": [1], "itemset_ids": [999]}}',
        '{"element_names": ["a"], "evidence_refs": {"case_ids": {"x": [], "x": [1]}},}',
    ],
)
def test_lm5_duplicate_keys_break_their_entry_alone(twice: str) -> None:
    found = read_list(f'{{"demands": [{dump(ONE)}, {twice}, {dump(TWO)}]}}').found

    assert [found[0], found[2]] == [ONE, TWO]
    assert isinstance(found[1], Broken)
    assert "duplicate key" in found[1].reason
    for read in (read_single, read_list, read_prose):
        [broken] = read(twice).found
        assert isinstance(broken, Broken)
        assert "duplicate key" in broken.reason


def test_lm5_a_list_given_twice_is_no_list() -> None:
    text = f'{{"demands": [{dump(ONE)}], "demands": [{dump(TWO)}]}}'
    for read in (read_list, read_prose):
        [broken] = read(text).found
        assert isinstance(broken, Broken)
        assert "duplicate key 'demands'" in broken.reason


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ('{"element_names": ["a"] "desc": "b"}', "not strict JSON"),
        ("{'element_names': ['a']}", "not strict JSON"),
        ('{"element_names": ["a"], "n": NaN}', "NaN is not JSON"),
        ('"ITEMSET-12"', "not a JSON object"),
        ("12", "not a JSON object"),
        ('[["a"]]', "not a JSON object"),
        ("null", "not a JSON object"),
    ],
)
def test_d014_one_broken_entry_among_good_ones(entry: str, reason: str) -> None:
    found = read_list(f'{{"demands": [{dump(ONE)}, {entry}, {dump(TWO)}]}}').found

    assert [found[0], found[2]] == [ONE, TWO]
    assert isinstance(found[1], Broken)
    assert reason in found[1].reason
    assert found[1].text == entry


def test_d014_arguments_as_models_give_them() -> None:
    assert read_list(dump({"demands": dump([ONE, TWO])})) == Entries([ONE, TWO])
    assert read_list(dump([ONE, TWO])) == Entries([ONE, TWO])
    assert read_list(dump(ONE)) == Entries([ONE])
    assert read_single("{}") == Entries([{}])
    assert read_single(f"```json\n{dump(ONE)}\n```") == Entries([ONE])
    for arguments in ("", "null", "饺子", '"x"', "12"):
        [broken] = read_single(arguments).found
        assert broken == Broken(arguments, "not a JSON object")
    for arguments in ("{}", '{"demands": 5}', '{"demands": {"a": 1}}', '{"demands": "none"}'):
        [broken] = read_list(arguments).found
        assert isinstance(broken, Broken)
        assert "demands" in broken.reason


def test_d014_hostile_nesting_and_length_end_quickly() -> None:
    for text in (
        '{"demands":' * 50_000,
        "[" * 200_000,
        '{"' * 200_000,
        '{"element_names": [' * 50_000,
        "[{" * 100_000,
    ):
        for read in (read_prose, read_list, read_single):
            assert len(read(text).found) <= 1


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
OBJECTS = st.fixed_dictionaries(
    {
        "element_names": st.lists(TEXTS, max_size=3),
        "evidence_refs": st.dictionaries(TEXTS, TEXTS | st.integers()),
    }
)


@given(st.lists(OBJECTS, min_size=1, max_size=4), st.sampled_from(["", "好的：", "```json\n", "{x} "]))
def test_d014_whatever_stands_in_strings_comes_out_as_it_went_in(candidates: list[Any], before: str) -> None:
    text = dump({"demands": candidates})
    assert read_list(text) == Entries(candidates)
    assert read_prose(f"{before}{text}\n``` 完") == Entries(candidates)


@given(st.lists(OBJECTS, min_size=1, max_size=3), st.data())
def test_lm4_wherever_it_is_cut_only_whole_candidates_live(candidates: list[Any], data: st.DataObject) -> None:
    text = dump({"demands": candidates})
    cut = data.draw(st.integers(1, len(text) - 1))
    entries = read_list(text[:cut])
    assert entries.cut_off
    assert entries.found == candidates[: len(entries.found)]
