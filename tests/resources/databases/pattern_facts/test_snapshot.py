"""D-043b: one decision sees one state of the facts, and the next decision sees today's; nothing is remembered."""

from __future__ import annotations

import sqlite3

import pytest
from sqlalchemy import text

from demand_assets.evidence.closure import Accepted, Provenance, decide
from resources.databases.pattern_facts.closure_facts import read_execution
from resources.databases.pattern_facts.engine import FactsDatabase
from tests.small_facts import FactWorld, good_candidate

ALTERATIONS = [
    "UPDATE pattern_mining_execution SET status = 'failed' WHERE id = 581",
    "UPDATE pattern_itemset SET absolute_support = 9 WHERE id = 1001",
    "DELETE FROM pattern_itemset WHERE id = 1001",
    "DELETE FROM pattern_itemset_post WHERE itemset_id = 1001",
    "DELETE FROM pattern_itemset_item WHERE id = 1",
    "DELETE FROM pattern_mining_element WHERE post_id = 'p1'",
    "UPDATE pattern_mining_category SET path = '' WHERE id = 11",
    "UPDATE pattern_mining_config SET scope = 'script' WHERE id = 2081",
]


@pytest.fixture
def written_beside(world: FactWorld) -> FactWorld:
    """A world that can be written to while it is read."""
    if world.url.get_backend_name() == "sqlite":
        with sqlite3.connect(str(world.url.database)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
    return world


@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_d043b_a_change_after_the_snapshot_began_is_not_seen_in_it(written_beside: FactWorld, alteration: str) -> None:
    with written_beside.open() as facts:
        with facts.snapshot() as snapshot:
            assert read_execution(snapshot, 585) is not None
            written_beside.alter(alteration)
            assert verdict(snapshot) == "Accepted"
        with facts.snapshot() as snapshot:
            assert verdict(snapshot) == "Reject"


def test_d043b_two_decisions_in_one_snapshot_are_one(written_beside: FactWorld) -> None:
    with written_beside.open() as facts, facts.snapshot() as snapshot:
        first = decide(snapshot, 581, [good_candidate()], Provenance("t"))
        written_beside.alter("UPDATE pattern_itemset SET support = 0.1 WHERE id = 1001")
        assert decide(snapshot, 581, [good_candidate()], Provenance("t")) == first


def test_d043b_facts_that_were_mended_are_seen_by_the_same_handle(world: FactWorld) -> None:
    with world.open() as facts:
        assert verdict_of(facts) == "Accepted"
        world.alter("UPDATE pattern_itemset SET absolute_support = 9 WHERE id = 1001")
        assert verdict_of(facts) == "Reject"
        world.alter("UPDATE pattern_itemset SET absolute_support = 3 WHERE id = 1001")
        assert verdict_of(facts) == "Accepted"


@pytest.mark.real_server
def test_d043b_the_isolation_is_repeatable_read(postgres_world: FactWorld) -> None:
    with postgres_world.open() as facts, facts.snapshot() as snapshot:
        assert snapshot.execute(text("SHOW transaction_isolation")).scalar_one() == "repeatable read"


def verdict(snapshot: object) -> str:
    (decision,) = decide(snapshot, 581, [good_candidate()], Provenance("t"))
    return type(decision).__name__


def verdict_of(facts: FactsDatabase) -> str:
    with facts.snapshot() as snapshot:
        (decision,) = decide(snapshot, 581, [good_candidate()], Provenance("t"))
    return "Accepted" if isinstance(decision, Accepted) else "Reject"
