"""The pack (D-050 … D-053): content as computed by hand, every rule of the model, what survives a round trip."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from demand_assets.evidence.pack import DemandRow, EvidencePack, ExtData, check_row, mean_score, pack_json_schema
from resources.foundation import strict_json
from resources.foundation.errors import PackRefused
from tests.demand_assets.evidence.deciding import accepted_pack
from tests.small_facts import FactWorld

POSTS = ["p1", "p2", "p3"]
CAT_ITEM = {"point_type": "关键点", "dimension": "实质", "element_name": "猫"}
FEELING_ITEM = {"point_type": "目的点", "dimension": "形式", "element_name": None}
CAT_PATH, FEELING_PATH = "/动物/猫咪", "/情感"


def element(item: int, category: int, name: str, count: int) -> dict[str, Any]:
    source = CAT_ITEM if item == 1 else FEELING_ITEM
    ids = {"itemset_id": 1001, "itemset_item_id": item, "category_id": category}
    counts = {"matched_element_count": count, "matched_post_count": 1, "matched_post_ids": ["p1"]}
    return ids | source | {"element_name": name} | counts


def by_hand() -> dict[str, Any]:
    """The pack of itemset 1001 in post p1, as the contract wants it."""
    cat = {"category_name": "猫咪", "category_path": CAT_PATH, "category_full_path": "/实质/动物/猫咪"}
    feeling = {"category_name": "情感", "category_path": FEELING_PATH, "category_full_path": "/形式/情感"}
    return {
        "pattern_source_system": "pg_pattern_v2",
        "pattern_execution_id": 581,
        "mining_config_id": 2081,
        "source_kind": "pattern_itemset",
        "case_id_type": "post_id",
        "source_post_id": "p1",
        "category_bindings": [
            {"itemset_id": 1001, "itemset_item_id": 1, "category_id": 11} | cat | CAT_ITEM,
            {"itemset_id": 1001, "itemset_item_id": 2, "category_id": 12} | feeling | FEELING_ITEM,
        ],
        "element_bindings": [element(1, 11, "猫", 1), element(2, 12, "治愈", 2), element(2, 12, "🫠神兵𠮷", 1)],
        "itemset_ids": [1001],
        "itemset_items": [
            {"itemset_id": 1001, "category_id": 11, "category_path": CAT_PATH} | CAT_ITEM,
            {"itemset_id": 1001, "category_id": 12, "category_path": FEELING_PATH} | FEELING_ITEM,
        ],
        "support": 0.5,
        "absolute_support": 3,
        "matched_post_ids": POSTS,
        "case_ids": POSTS,
        "decode_case_ids": [],
        "seed_terms": ["猫", "治愈"],
        "trace_id": "trace-1",
        "demand_task_id": None,
        "demand_content_id": None,
        "source_certainty": "db_validated",
        "validation_status": "passed",
    }


def test_d050_the_pack_is_as_computed_by_hand(world: FactWorld) -> None:
    dumped = accepted_pack(world).model_dump(mode="json")
    dumped["element_bindings"].sort(key=lambda b: (b["itemset_item_id"], b["element_name"]))

    assert dumped == by_hand()
    assert list(dumped) == list(by_hand())


def test_d051_lists_of_posts_are_one_list(world: FactWorld) -> None:
    pack = accepted_pack(world)

    assert pack.matched_post_ids == pack.case_ids == POSTS
    assert len(pack.matched_post_ids) == pack.absolute_support
    assert pack.source_post_id in pack.matched_post_ids
    assert pack.element_bindings


def test_d050_seed_terms_default_to_the_element_names(still_world: FactWorld) -> None:
    assert accepted_pack(still_world, refs={"seed_terms": []}).seed_terms == ["猫", "治愈"]
    assert accepted_pack(still_world, refs={"seed_terms": ["动物"]}).seed_terms == ["动物"]


def altered(path: str, value: object) -> dict[str, Any]:
    """The pack by hand with the value at a dotted path replaced."""
    pack = copy.deepcopy(by_hand())
    *parents, last = path.split(".")
    place: Any = pack
    for part in parents:
        place = place[int(part)] if part.isdigit() else place[part]
    place[int(last) if last.isdigit() else last] = value
    return pack


LIES: list[tuple[str, object]] = [
    *(("pattern_source_system", value) for value in ("mysql_topic_pattern", "", None)),
    *(("pattern_execution_id", value) for value in (0, -1, None, 1.5, True, "581", "x", 2**63)),
    *(("mining_config_id", value) for value in (0, None, "x")),
    ("source_kind", "direct_case"),
    *(("case_id_type", value) for value in ("aweme_id", None)),
    *(("source_post_id", value) for value in ("p9", "", None, "P1", "p1 ", True, 1)),
    *(("itemset_ids", value) for value in ([], [1002], [1001, 1002], [1001, 1001], None)),
    *(("support", value) for value in (-0.1, 1.1, None, "0.5", True)),
    *(("absolute_support", value) for value in (0, 2, 4, -3, None, 3.5, "3", True)),
    *(("matched_post_ids", value) for value in ([], ["p1", "p2"], ["p1", "p3", "p2"], ["p1", "p1", "p2"], None)),
    *(("case_ids", value) for value in ([], ["p1", "p2"], ["p3", "p2", "p1"], None)),
    *(("decode_case_ids", value) for value in (["d1"], None)),
    *(("seed_terms", value) for value in (None, "猫", [1], [None])),
    *(("trace_id", value) for value in ("", "  ", None)),
    *(("demand_task_id", value) for value in (0, "x", 1.5)),
    *(("demand_content_id", value) for value in (0, -1, True)),
    *(("source_certainty", value) for value in ("guessed", None, "DB_VALIDATED")),
    *(("validation_status", value) for value in ("failed", None, "")),
    *((field, []) for field in ("category_bindings", "element_bindings", "itemset_items")),
    *((f"category_bindings.0.{field}", value) for field, value in (("itemset_id", 1002), ("itemset_item_id", 7))),
    *(("category_bindings.0.category_path", value) for value in ("", " ", None, "/别处")),
    *((f"category_bindings.0.{field}", value) for field, value in (("category_id", 12), ("category_id", None))),
    *((f"category_bindings.0.{field}", "x") for field in ("point_type", "dimension", "element_name")),
    *(("itemset_items.0." + field, value) for field, value in (("itemset_id", 1002), ("category_id", 12))),
    *(("itemset_items.0." + field, "x") for field in ("category_path", "point_type", "dimension", "element_name")),
    *((f"element_bindings.0.{field}", value) for field, value in (("itemset_id", 1002), ("itemset_item_id", 7))),
    *(("element_bindings.0.element_name", value) for value in ("", " ", None)),
    *(("element_bindings.0.matched_element_count", value) for value in (0, 1.5, None)),
    *(("element_bindings.0.matched_post_count", value) for value in (0, None)),
    *(("element_bindings.0.matched_post_ids", value) for value in ([], ["p2"], ["p1", "p2"])),
    ("note", "a field that the pack does not have"),
]


@pytest.mark.parametrize(("path", "value"), LIES, ids=lambda value: str(value)[:30])
def test_d050_d051_each_rule_broken_alone_is_refused(path: str, value: object) -> None:
    with pytest.raises(ValidationError):
        EvidencePack.model_validate_json(strict_json.dumps(altered(path, value)))
    with pytest.raises(ValidationError):
        EvidencePack.model_validate(altered(path, value))


def test_d051_posts_are_sorted_though_all_lists_agree() -> None:
    unsorted = by_hand() | {"matched_post_ids": ["p3", "p1", "p2"], "case_ids": ["p3", "p1", "p2"]}
    with pytest.raises(ValidationError, match="not sorted and distinct"):
        EvidencePack.model_validate(unsorted)


@pytest.mark.parametrize("videos", [["p1", "p2", "p9"], ["p3", "p2", "p1"], ["p1", "p2"]])
def test_d051_videos_are_the_cases_one_by_one(videos: list[str]) -> None:
    said = {"reason": "r", "desc": "d", "type": "t", "run_label": "label", "evidence_pack": by_hand()}
    assert ExtData.model_validate(said | {"video_ids": POSTS}).video_ids == POSTS
    with pytest.raises(ValidationError, match="video_ids differ"):
        ExtData.model_validate(said | {"video_ids": videos})


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_d053_a_support_that_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValidationError, match="support"):
        EvidencePack.model_validate(altered("support", value))


def test_d050_each_fact_must_be_given() -> None:
    defaults = {name for name, field in EvidencePack.model_fields.items() if not field.is_required()}
    for field in set(by_hand()) - defaults:
        with pytest.raises(ValidationError, match=field):
            EvidencePack.model_validate({key: value for key, value in by_hand().items() if key != field})


def test_d051_the_source_post_is_matched_though_its_elements_agree() -> None:
    raw = by_hand() | {"source_post_id": "p9"}
    for binding in raw["element_bindings"]:
        binding["matched_post_ids"] = ["p9"]

    with pytest.raises(ValidationError, match="'p9' is not among matched_post_ids"):
        EvidencePack.model_validate(raw)


def test_d051_every_item_has_its_element() -> None:
    with pytest.raises(ValidationError, match="items without an element"):
        EvidencePack.model_validate(altered("element_bindings", by_hand()["element_bindings"][:1]))


def test_d053_the_schema_is_published_and_stable() -> None:
    schema = pack_json_schema()

    assert schema["$id"] == "urn:pattern2plan:evidence_pack:1"
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]) == list(by_hand())
    assert schema["properties"]["source_certainty"]["const"] == "db_validated"
    assert schema["properties"]["validation_status"]["const"] == "passed"
    assert schema["properties"]["pattern_source_system"]["const"] == "pg_pattern_v2"
    for name, fields in (("CategoryBinding", "category_bindings"), ("ElementBinding", "element_bindings")):
        assert list(schema["$defs"][name]["properties"]) == list(by_hand()[fields][0])
        assert schema["$defs"][name]["required"] == list(by_hand()[fields][0])
    assert list(schema["$defs"]["ItemsetItem"]["properties"]) == list(by_hand()["itemset_items"][0])
    assert strict_json.dumps(schema) == strict_json.dumps(pack_json_schema())


TEXTS = ["🫠神兵𠮷", 'it\'s "quoted" \\ %s \n', "降价50%", "e\u0301", "\u200b猫"]


@pytest.mark.parametrize("text", TEXTS)
def test_d053_texts_survive_a_round_trip(text: str) -> None:
    raw = altered("seed_terms", [text]) | {"trace_id": f"t{text}"}

    read_back = EvidencePack.model_validate_json(EvidencePack.model_validate(raw).model_dump_json())

    assert read_back.model_dump(mode="json") == raw


@pytest.mark.parametrize("big", [2**53 + 1, 2**63 - 1])
def test_d053_big_ids_survive_a_round_trip(big: int) -> None:
    raw = strict_json.loads(strict_json.dumps(by_hand()).replace("1001", str(big)).replace("2081", str(big - 1)))

    text = strict_json.dumps(EvidencePack.model_validate(raw).model_dump(mode="json"))

    assert EvidencePack.model_validate(strict_json.loads(text)).itemset_ids == [big]
    assert f'"mining_config_id": {big - 1}' in text


WITH_TEXT = ["trace_id", "seed_terms.0", "element_bindings.0.element_name", "itemset_items.1.dimension"]
WITH_TEXT += [
    f"category_bindings.0.{f}" for f in ("category_name", "category_path", "category_full_path", "point_type")
]


@pytest.mark.parametrize("path", WITH_TEXT)
@pytest.mark.parametrize("spoilt", ["a\x00b", "\x00", "a\ud800"], ids=["NUL", "only NUL", "surrogate"])
def test_d053_nul_and_surrogates_are_refused_by_name(path: str, spoilt: str) -> None:
    with pytest.raises(ValidationError) as caught:
        EvidencePack.model_validate(altered(path, spoilt))

    assert path in {".".join(map(str, error["loc"])) for error in caught.value.errors()}


@pytest.mark.parametrize(
    ("spoilt", "said"), [("a\x00b", "NUL"), (" ", "blank"), ("a\ud800", "unicode"), ("", "at least 1")]
)
def test_d053_a_spoilt_post_id_is_refused_though_all_lists_agree(spoilt: str, said: str) -> None:
    posts = {field: [spoilt, "p2", "p3"] for field in ("matched_post_ids", "case_ids")}
    raw = by_hand() | posts | {"source_post_id": spoilt}
    for binding in raw["element_bindings"]:
        binding["matched_post_ids"] = [spoilt]

    with pytest.raises(ValidationError, match=said):
        EvidencePack.model_validate(raw)


def a_row(**changes: Any) -> dict[str, Any]:
    texts = {"reason": "r", "desc": "d", "type": "pattern"}
    ext = texts | {"video_ids": POSTS, "run_label": "run-1", "evidence_pack": by_hand()} | changes.pop("ext", {})
    row = {"id": 7, "merge_leve2": "全局树", "name": "猫,治愈", "reason": "r", "suggestion": "d", "score": 0.8}
    return row | {"ext_data": ext, "dt": "20260601"} | changes


def test_d052_ext_data_keeps_the_old_fields_beside_the_pack() -> None:
    assert list(ExtData.model_fields) == ["reason", "desc", "type", "video_ids", "run_label", "evidence_pack"]
    assert check_row(a_row(), "sink") == DemandRow.model_validate(a_row())


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"ext": {"video_ids": ["p1"]}}, "ext_data"),
        ({"ext": {"run_label": ""}}, "ext_data.run_label"),
        ({"ext": {"evidence_pack": altered("validation_status", "failed")}}, "evidence_pack.validation_status"),
        ({"ext": {"evidence_pack": altered("source_certainty", "guessed")}}, "evidence_pack.source_certainty"),
        ({"ext": {"note": 1}}, "ext_data.note"),
        ({"name": ""}, "name"),
        ({"name": "猫" * 256}, "name"),
        ({"score": 1.01}, "score"),
        ({"score": math.nan}, "score"),
        ({"dt": "2026-06-01"}, "dt"),
        ({"id": 0}, "id"),
        ({"reason": "见 mysql_topic_pattern"}, "mysql_topic_pattern"),
        ({"suggestion": "topic_pattern_x"}, "topic_pattern_"),
        ({"reason": "a\x00"}, "reason"),
    ],
)
def test_d052_d066_a_row_that_breaks_the_contract_is_refused_by_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(PackRefused, match=field) as caught:
        check_row(a_row(**changes), "before writing")

    assert str(caught.value).startswith("before writing: ")


def test_d021_the_mean_has_four_decimals() -> None:
    assert mean_score([1 / 3, 1 / 3]) == 0.3333
    assert mean_score([0.1] * 3) == 0.1
    assert mean_score([]) == 0.0


def test_d053_the_published_schema_is_the_models():
    published = Path(__file__).resolve().parents[3] / "docs" / "evidence_pack.schema.json"
    assert json.loads(published.read_text()) == pack_json_schema()
