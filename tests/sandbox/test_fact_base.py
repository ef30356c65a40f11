"""A fact base takes what can be stored unchanged and refuses the rest by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sandbox.facts.fact_base import FactBase, join_fact_bases, read_fact_base
from sandbox.facts.fact_columns import FactBaseInvalid
from sandbox.sample.facts_sample import Sample
from tests.sandbox.parquet_folder import write_fact_base


def altered(facts: FactBase, field: str, column: str, values: Any) -> dict[str, pd.DataFrame]:
    frames = dict(vars(facts))
    frames[field] = frames[field].assign(**{column: values})
    return frames


def test_ids_beyond_2_53_are_exact_beside_nulls(sample: Sample, tmp_path: Path) -> None:
    big = 2**53 + 1
    categories = pd.array([big] + [None] * (len(sample.facts.element) - 1), dtype="Int64")
    write_fact_base(FactBase(**altered(sample.facts, "element", "category_id", categories)), tmp_path)

    read = read_fact_base(tmp_path).element["category_id"]

    assert read[0] == big
    assert read[1:].isna().all()


def test_ids_in_a_column_of_floats_are_taken_while_exact(sample: Sample) -> None:
    floats = sample.facts.element["category_id"].astype("float64")

    taken = FactBase(**altered(sample.facts, "element", "category_id", floats))

    assert taken.element["category_id"].equals(sample.facts.element["category_id"])


@pytest.mark.parametrize(
    ("field", "column", "value", "message"),
    [
        (
            "element",
            "category_id",
            float(2**53 + 2),
            "pattern_mining_element.category_id is a fraction or beyond 2^53",
        ),
        ("element", "category_id", 1.5, "pattern_mining_element.category_id is a fraction"),
        ("element", "category_id", True, "pattern_mining_element.category_id is a truth value"),
        ("element", "category_id", "12", "pattern_mining_element.category_id is not a whole number in row 1"),
        (
            "element",
            "element_name",
            "a\x00b",
            "pattern_mining_element.element_name holds a NUL character in row 1",
        ),
        (
            "element",
            "element_name",
            "长" * 256,
            "pattern_mining_element.element_name is longer than 255 characters",
        ),
        ("element", "element_name", 7, "pattern_mining_element.element_name is not text"),
        ("element", "execution_id", 999, "a row of pattern_mining_element has execution_id 999"),
        ("element", "id", 5, "table pattern_mining_element lists id 5 twice"),
        ("itemset", "execution_id", None, "pattern_itemset.execution_id is null in row 1"),
        ("itemset", "absolute_support", 2**31, "pattern_itemset.absolute_support is outside"),
        ("itemset", "support", float("inf"), "pattern_itemset.support is infinite"),
        ("itemset", "support", "viel", "pattern_itemset.support is not a column of numbers"),
        ("itemset_post", "itemset_id", 999, "a row of pattern_itemset_post has itemset_id 999"),
    ],
)
def test_refuses_what_cannot_be_stored(sample: Sample, field: str, column: str, value: object, message: str) -> None:
    with pytest.raises(FactBaseInvalid) as refusal:
        FactBase(**altered(sample.facts, field, column, value))

    assert refusal.value.message.startswith(message)


def test_refuses_a_lone_surrogate(sample: Sample) -> None:
    names = pd.Series(["\ud800"] * len(sample.facts.element), dtype=object)

    with pytest.raises(FactBaseInvalid, match=r"pattern_mining_element\.element_name holds a lone surrogate"):
        FactBase(**altered(sample.facts, "element", "element_name", names))


def test_moments_become_text(sample: Sample) -> None:
    moment = pd.Timestamp("2026-06-01 08:00:00")

    facts = FactBase(**altered(sample.facts, "execution", "created_at", moment))

    assert set(facts.execution["created_at"]) == {"2026-06-01 08:00:00"}


def test_a_folder_reads_back_unchanged(sample: Sample, tmp_path: Path) -> None:
    write_fact_base(sample.facts, tmp_path)

    for table, frame in read_fact_base(tmp_path).frames().items():
        pd.testing.assert_frame_equal(frame, sample.facts.frames()[table])


def test_names_the_missing_file(sample: Sample, tmp_path: Path) -> None:
    write_fact_base(sample.facts, tmp_path)
    (tmp_path / "pattern_itemset_post.parquet").unlink()

    with pytest.raises(FactBaseInvalid, match=r"has no pattern_itemset_post\.parquet"):
        read_fact_base(tmp_path)


def test_names_the_missing_column(sample: Sample, tmp_path: Path) -> None:
    write_fact_base(sample.facts, tmp_path)
    sample.facts.itemset.drop(columns=["scope"]).to_parquet(tmp_path / "pattern_itemset.parquet")

    with pytest.raises(FactBaseInvalid, match="table pattern_itemset has no column scope"):
        read_fact_base(tmp_path)


def test_names_the_file_that_is_not_parquet(sample: Sample, tmp_path: Path) -> None:
    write_fact_base(sample.facts, tmp_path)
    (tmp_path / "pattern_itemset.parquet").write_text("no")

    with pytest.raises(FactBaseInvalid, match=r"pattern_itemset\.parquet is not a readable Parquet file"):
        read_fact_base(tmp_path)


def test_columns_that_no_table_has_are_left_out(sample: Sample) -> None:
    assert "note" not in FactBase(**altered(sample.facts, "itemset", "note", "x")).itemset


def test_joining_refuses_an_execution_that_is_in_both(sample: Sample) -> None:
    with pytest.raises(FactBaseInvalid, match="pattern_mining_execution lists id 101 twice"):
        join_fact_bases(sample.facts, sample.facts)
