"""D-042: facts that could not be read are never an acceptance and never "not found"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import OperationalError

from demand_assets.decisions.decision_loop import Loop, UnreadableRun
from demand_assets.evidence.closure import decide, reject_unread
from demand_assets.evidence.weights import read_weight_scores
from demand_assets.proposers.proposer import Identity, Proposals, StopReason
from resources.databases.pattern_facts import tables
from resources.databases.pattern_facts.engine import FactsDatabase, unreadable
from resources.foundation.errors import FactsUnreadable
from resources.model.usage import Usage
from tests.demand_assets.evidence.deciding import PROVENANCE, decisions
from tests.real_servers import POSTGRES, run_as_administrator, temporary_database
from tests.small_facts import FactWorld, good_candidate

READ_BY_DECIDE = [table.name for table in tables.metadata.sorted_tables]


def is_one_line_of_type(error: FactsUnreadable) -> bool:
    return "\n" not in str(error) and "not found" not in str(error) and bool(error.fix)


def with_table_back(world: FactWorld, name: str, act: Callable[[], Any]) -> Any:
    world.alter(f"ALTER TABLE {name} RENAME TO away")
    try:
        return act()
    finally:
        world.alter(f"ALTER TABLE away RENAME TO {name}")


@pytest.mark.parametrize("name", READ_BY_DECIDE)
def test_d042_a_missing_table_is_an_error_with_its_name(world: FactWorld, name: str) -> None:
    def act() -> None:
        with pytest.raises(FactsUnreadable, match=name) as caught:
            decisions(world, good_candidate())
        assert is_one_line_of_type(caught.value)
        assert "pattern2plan doctor" in caught.value.fix

    with_table_back(world, name, act)


def test_d042_a_missing_column_is_an_error_with_its_name(world: FactWorld) -> None:
    world.alter("ALTER TABLE pattern_itemset RENAME COLUMN absolute_support TO number_of_posts")
    try:
        with pytest.raises(FactsUnreadable, match="absolute_support"):
            decisions(world, good_candidate())
    finally:
        world.alter("ALTER TABLE pattern_itemset RENAME COLUMN number_of_posts TO absolute_support")


@pytest.mark.real_server
def test_d042_a_revoked_privilege_is_an_error_with_its_table() -> None:
    with temporary_database(POSTGRES) as url:
        world = FactWorld(url)
        world.fill()
        role = f"r_{url.database}"
        world.alter(f"CREATE ROLE {role} LOGIN", f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")
        try:
            facts = FactsDatabase(url.set(username=role))
            with facts.snapshot() as snapshot:
                assert decide(snapshot, 581, [good_candidate()], PROVENANCE)[0].pack.support == 0.5
            world.alter(f"REVOKE SELECT ON pattern_itemset_post FROM {role}")
            said = "may not read: permission denied for table pattern_itemset_post"
            with pytest.raises(FactsUnreadable, match=said), facts.snapshot() as snapshot:
                decide(snapshot, 581, [good_candidate()], PROVENANCE)
            facts.close()
        finally:
            world.alter(f"DROP OWNED BY {role}")
            world.close()
            run_as_administrator(POSTGRES, f"DROP ROLE {role}")


@pytest.mark.real_server
def test_d042_a_statement_that_takes_too_long_is_an_error(postgres_world: FactWorld) -> None:
    facts = FactsDatabase(postgres_world.url, statement_timeout_s=0.2)
    other = create_engine(postgres_world.url)
    with other.begin() as holder:
        holder.execute(text("LOCK TABLE pattern_itemset_item IN ACCESS EXCLUSIVE MODE"))
        with pytest.raises(FactsUnreadable, match="took too long") as caught, facts.snapshot() as snapshot:
            decide(snapshot, 581, [good_candidate()], PROVENANCE)
    with facts.snapshot() as snapshot:
        assert decide(snapshot, 581, [good_candidate()], PROVENANCE)[0].pack
    facts.close()
    other.dispose()

    assert is_one_line_of_type(caught.value)
    assert "DEMAND_PATTERN_STATEMENT_TIMEOUT_S" in caught.value.fix


def decide_after_the_server_hung_up(snapshot: Connection, other: Engine) -> None:
    pid = snapshot.execute(text("SELECT pg_backend_pid()")).scalar_one()
    with other.begin() as killer:
        killer.execute(text(f"SELECT pg_terminate_backend({pid})"))
    decide(snapshot, 581, [good_candidate()], PROVENANCE)


@pytest.mark.real_server
def test_d042_a_connection_that_breaks_in_the_middle_is_an_error(postgres_world: FactWorld) -> None:
    other = create_engine(postgres_world.url)
    with postgres_world.open() as facts:
        with pytest.raises(FactsUnreadable) as caught, facts.snapshot() as snapshot:
            decide_after_the_server_hung_up(snapshot, other)
        with facts.snapshot() as snapshot:
            assert decide(snapshot, 581, [good_candidate()], PROVENANCE)[0].pack
    other.dispose()

    assert is_one_line_of_type(caught.value)


@pytest.mark.parametrize(
    "url", ["postgresql+psycopg://u:s3cret@127.0.0.1:1/d", "mysql+pymysql://u:s3cret@127.0.0.1:1/d"]
)
def test_d042_d003_no_server_is_an_error_without_the_dsn(url: str) -> None:
    facts = FactsDatabase(make_url(url), connect_timeout_s=1)

    with pytest.raises(FactsUnreadable) as caught, facts.snapshot():
        pass

    assert is_one_line_of_type(caught.value)
    assert "s3cret" not in f"{caught.value!r} {caught.value}"


def test_d042_a_file_that_is_not_there_or_no_database(tmp_path: Any) -> None:
    with pytest.raises(FactsUnreadable, match="there is no facts file"):
        FactsDatabase(URL.create("sqlite", database=str(tmp_path / "none.db")))
    (tmp_path / "text.db").write_text("not a database" * 100)
    facts = FactsDatabase(URL.create("sqlite", database=str(tmp_path / "text.db")))
    with pytest.raises(FactsUnreadable, match="not a database"), facts.snapshot() as snapshot:
        decide(snapshot, 581, [good_candidate()], PROVENANCE)


def test_d042_every_undecided_candidate_is_a_reject_of_its_own_code() -> None:
    rejects = reject_unread([good_candidate(), None], FactsUnreadable("the server is gone", "wait"))

    assert [reject.reject_codes for reject in rejects] == [["facts_unreadable"]] * 2
    assert rejects[0].reject_reason == "the server is gone"
    assert rejects[0].corrections[0].rule_id == "D-042"
    assert rejects[0].candidate == good_candidate()


class TwoRounds:
    """A good candidate, then three more while the facts go away."""

    identity = Identity("two rounds")
    usage = Usage()

    def __init__(self, world: FactWorld) -> None:
        self.world = world
        self.rounds = 0

    def propose(self, wanted: int, feedback: object) -> Proposals:
        self.rounds += 1
        if self.rounds == 1:
            return Proposals([good_candidate()])
        self.world.alter("ALTER TABLE pattern_itemset RENAME TO away")
        return Proposals([good_candidate(element_names=["猫"])] * wanted, StopReason.FILE_USED_UP)


def test_d042_a_run_that_cannot_read_keeps_what_was_decided(world: FactWorld) -> None:
    with world.open() as facts:
        with facts.snapshot() as snapshot:
            weights = read_weight_scores(snapshot, 581)
        loop = Loop(facts, 581, weights, PROVENANCE, count=3, max_rounds=9)
        try:
            with pytest.raises(UnreadableRun) as caught:
                loop.run(TwoRounds(world))
        finally:
            world.alter("ALTER TABLE away RENAME TO pattern_itemset")

    outcome = caught.value.outcome
    assert is_one_line_of_type(caught.value)
    assert [demand.seq for demand in outcome.accepted] == [1]
    assert [(entry.seq, entry.reject.reject_code) for entry in outcome.rejects] == [
        (2, "facts_unreadable"),
        (3, "facts_unreadable"),
    ]
    assert len(outcome.proposed) == 3


@pytest.mark.parametrize(
    ("code", "said", "fix"),
    [
        (1142, "may not read", "GRANT SELECT"),
        (1969, "took too long", "DEMAND_PATTERN_STATEMENT_TIMEOUT_S"),
        (3024, "took too long", "DEMAND_PATTERN_STATEMENT_TIMEOUT_S"),
        (2013, "could not be read", "check the facts DSN"),
    ],
)
def test_d042_what_mysql_says_has_the_same_name_as_what_postgresql_says(code: int, said: str, fix: str) -> None:
    error = unreadable(OperationalError("SELECT 1", {}, Exception(code, "as the server says it")))
    assert said in error.message
    assert fix in error.fix
