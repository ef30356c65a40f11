"""What loading must do on every database; each database's tests subclass it with a ``url`` fixture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from sqlalchemy import create_engine, inspect, select
from sqlalchemy.engine import URL

from resources.databases.pattern_facts import tables as t
from resources.databases.pattern_facts.engine import FactsDatabase
from sandbox.facts.fact_base import TABLE_OF_FIELD, FactBase
from sandbox.facts.facts_load import ExecutionAlreadyLoaded, IdTaken, first_free_ids, load_facts
from sandbox.facts.first_ids import FirstIds
from sandbox.sample.facts_sample import Sample

AWKWARD = ["a\tb", "行\n\\.\n尾", "\\N", "", " ", "回\r车", "\"'", "%s:x", "🫠𠮷", "\\", "\x01"]


def only(facts: FactBase, *execution_ids: int) -> FactBase:
    """The given executions of a fact base."""
    itemsets = facts.itemset[facts.itemset["execution_id"].isin(execution_ids)]
    frames = {
        name: frame[frame["execution_id" if "execution_id" in frame else "id"].isin(execution_ids)]
        for name, frame in vars(facts).items()
        if name not in ("itemset_item", "itemset_post")
    }
    for name in ("itemset_item", "itemset_post"):
        frame = getattr(facts, name)
        frames[name] = frame[frame["itemset_id"].isin(itemsets["id"])]
    return FactBase(**frames)


def stored(url: URL) -> dict[str, list[tuple[Any, ...]]]:
    """Every row by table, in an order of its own; no table is no row."""
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            present = inspect(connection).get_table_names()
            return {
                table.name: sorted(map(tuple, connection.execute(select(table))), key=repr)
                if table.name in present
                else []
                for table in TABLE_OF_FIELD.values()
            }
    finally:
        engine.dispose()


def expected(*parts: FactBase) -> dict[str, list[tuple[Any, ...]]]:
    rows: dict[str, list[tuple[Any, ...]]] = {table.name: [] for table in TABLE_OF_FIELD.values()}
    for part in parts:
        for table, frame in part.frames().items():
            plain = frame.astype(object).where(frame.notna(), None)
            rows[table.name].extend(plain.itertuples(index=False, name=None))
    return {name: sorted(found, key=repr) for name, found in rows.items()}


class LoadingSuite:
    """Loading of whole executions in one transaction."""

    def test_what_is_loaded_reads_back_unchanged(self, sample: Sample, url: URL) -> None:
        report = load_facts(sample.facts, url)

        assert stored(url) == expected(sample.facts)
        assert report.execution_ids == (101, 102, 103, 104, 105)
        assert report.replaced_execution_ids == ()
        assert report.rows["pattern_itemset_post"] == len(sample.facts.itemset_post)

    def test_awkward_text_and_great_ids_survive(self, sample: Sample, url: URL) -> None:
        base = only(sample.facts, 103)
        elements = pd.DataFrame(
            {
                "id": range(2**62, 2**62 + len(AWKWARD)),
                "execution_id": 103,
                "post_id": "p",
                "source_table": t.TOPIC_SOURCE_TABLE,
                "point_type": "关键点",
                "dimension": None,
                "element_name": AWKWARD,
                "category_id": pd.array([2**53 + 1] + [None] * (len(AWKWARD) - 1), dtype="Int64"),
            }
        )
        facts = replace(base, element=elements)

        load_facts(facts, url)

        assert stored(url) == expected(facts)

    def test_the_product_can_read_it(self, sample: Sample, url: URL) -> None:
        load_facts(sample.facts, url)

        database = FactsDatabase(url)
        with database.snapshot() as connection:
            usable = connection.execute(select(t.execution.c.id).where(t.execution.c.status == t.SUCCESS)).all()
        database.close()
        assert {row[0] for row in usable} == {101, 102, 105}

    def test_indexes_are_there(self, sample: Sample, url: URL) -> None:
        load_facts(only(sample.facts, 103), url)

        engine = create_engine(url)
        for table in TABLE_OF_FIELD.values():
            found = {index["name"] for index in inspect(engine).get_indexes(table.name)}
            assert {index.name for index in table.indexes} <= found
        engine.dispose()

    def test_a_second_load_adds_other_executions(self, sample: Sample, url: URL) -> None:
        load_facts(only(sample.facts, 101, 103), url)
        load_facts(only(sample.facts, 102), url)

        assert stored(url) == expected(only(sample.facts, 101, 102, 103))

    def test_refuses_an_execution_that_is_there_and_changes_nothing(self, sample: Sample, url: URL) -> None:
        load_facts(only(sample.facts, 102), url)

        with pytest.raises(ExecutionAlreadyLoaded, match="execution 102 is there already"):
            load_facts(only(sample.facts, 101, 102), url)

        assert stored(url) == expected(only(sample.facts, 102))

    def test_replacing_writes_only_that_execution_anew(self, sample: Sample, url: URL) -> None:
        load_facts(sample.facts, url)
        health = only(sample.facts, 102)
        shorter = replace(health, element=health.element.head(3))

        report = load_facts(shorter, url, replace=True)

        assert stored(url) == expected(only(sample.facts, 101, 103, 104, 105), shorter)
        assert report.replaced_execution_ids == (102,)

    @pytest.mark.parametrize("field", ["config", "category", "element", "itemset_item"])
    def test_refuses_an_id_of_another_execution(self, sample: Sample, url: URL, field: str) -> None:
        load_facts(only(sample.facts, 101), url)
        health = only(sample.facts, 102)
        frame = getattr(health, field).copy()
        taken = int(getattr(only(sample.facts, 101), field)["id"].iloc[0])
        frame.loc[frame.index[0], "id"] = taken

        with pytest.raises(IdTaken, match=f"id {taken} of {TABLE_OF_FIELD[field].name} belongs to execution 101"):
            load_facts(replace(health, **{field: frame}), url)

        assert stored(url) == expected(only(sample.facts, 101))

    def test_a_load_that_fails_half_way_leaves_no_row(self, sample: Sample, url: URL) -> None:
        def fail(table: str, done: int, _total: int) -> None:
            if table == "pattern_itemset_post" and done:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            load_facts(sample.facts, url, progress=fail)

        assert not any(stored(url).values())
        load_facts(sample.facts, url)

    def test_progress_tells_each_table_from_nothing_to_all(self, sample: Sample, url: URL) -> None:
        told: list[tuple[str, int, int]] = []

        load_facts(sample.facts, url, progress=lambda *step: told.append(step))

        for table, frame in sample.facts.frames().items():
            assert (table.name, 0, len(frame)) in told
            assert (table.name, len(frame), len(frame)) in told

    def test_free_ids_are_above_all_that_are_there(self, sample: Sample, url: URL) -> None:
        assert first_free_ids(url) == FirstIds()

        load_facts(sample.facts, url)

        free = first_free_ids(url)
        assert free.execution == 106
        for name in ("config", "category", "element", "itemset", "itemset_item"):
            assert getattr(free, name) == int(getattr(sample.facts, name)["id"].max()) + 1
