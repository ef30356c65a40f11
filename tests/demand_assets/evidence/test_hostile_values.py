"""Values that once broke a batch, a ledger or a driver: each is refused by name, and no other candidate pays for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy.engine import URL, make_url

from demand_assets.decisions.decision_loop import Loop, UnreadableRun
from demand_assets.evidence.closure import Provenance
from demand_assets.evidence.pack import EvidencePack
from demand_assets.evidence.refs import Broken
from demand_assets.evidence.weights import WeightScores
from demand_assets.proposers.file import FileProposer
from demand_assets.proposers.proposer import Identity, Proposals, StopReason
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation.errors import Pattern2PlanError, SettingsError
from resources.foundation.strict_json import JsonRefused, loads
from resources.model.usage import Usage
from resources.settings.database_urls import parse_dsn
from tests.demand_assets.evidence.deciding import codes, decisions
from tests.demand_assets.evidence.test_pack import by_hand
from tests.small_facts import FactWorld, good_candidate


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("levels", [300, 900, 5000])
@pytest.mark.parametrize("field", ["notes", "itemset_ids"])
def test_d044_deep_nesting_takes_no_one_with_it(sqlite_world: FactWorld, field: str, levels: int) -> None:
    bad, good = decisions(sqlite_world, good_candidate(refs={field: [deep(levels)]}), good_candidate())

    assert bad.model_dump(mode="json")["reject_code"] == "malformed_refs"
    assert good.pack


@pytest.mark.parametrize("other", ["mysql_topic_pattern", "[abandoned source]"])
def test_d044_keys_that_become_one_when_masked(sqlite_world: FactWorld, other: str) -> None:
    bad, good = decisions(sqlite_world, {"topic_pattern_": 1, other: 2}, good_candidate())

    assert bad.reject_code == "malformed_refs"
    assert good.pack


@pytest.mark.parametrize(
    "bad",
    [
        good_candidate(refs={"itemset_ids": ["topic_pattern_7"]}),
        good_candidate(refs={"case_ids": {"topic_pattern_": [1.5]}}),
        Broken("{", "line 1: duplicate key 'mysql_topic_pattern'"),
    ],
)
def test_d052_the_abandoned_source_is_in_no_reason(sqlite_world: FactWorld, bad: object) -> None:
    (reject,) = decisions(sqlite_world, bad)

    assert "topic_pattern" not in reject.model_dump_json()


class OneBatch:
    identity, usage = Identity("one batch"), Usage(2, 10, 20)

    def __init__(self, world: FactWorld) -> None:
        self.world = world

    def propose(self, wanted: int, feedback: object) -> Proposals:
        self.world.alter("ALTER TABLE pattern_itemset RENAME TO away")
        return Proposals([good_candidate()] * 3, StopReason.FILE_USED_UP)


def test_d042_every_undecided_candidate_is_in_the_ledger(sqlite_world: FactWorld) -> None:
    with sqlite_world.open() as facts, pytest.raises(UnreadableRun) as caught:
        Loop(facts, 581, WeightScores(581, {}, {}), Provenance("t"), count=1, max_rounds=9).run(OneBatch(sqlite_world))

    outcome = caught.value.outcome
    assert [entry.seq for entry in outcome.rejects] == [proposed.seq for proposed in outcome.proposed]
    assert outcome.usage == Usage(2, 10, 20)


@pytest.mark.parametrize("field", ["source_certainty", "validation_status", "pattern_source_system", "source_kind"])
def test_d050_a_pack_that_does_not_say_it_is_proven_is_refused(field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        EvidencePack.model_validate({key: value for key, value in by_hand().items() if key != field})


@pytest.mark.parametrize("dsn", ["host=h port=abc", "host=a,b port=1,2 dbname=d", "dbname=d port="])
def test_d003_a_bad_port_in_a_conninfo_is_named(dsn: str) -> None:
    with pytest.raises(SettingsError):
        parse_dsn(dsn, "X")


def test_d003_a_mysql_password_beyond_latin1_is_not_shown() -> None:
    facts = FactsDatabase(make_url("mysql+pymysql://u@127.0.0.1:1/d").set(password="s3cret-密码"), connect_timeout_s=1)
    with pytest.raises(Pattern2PlanError) as caught, facts.snapshot():
        pass
    assert "s3cret" not in repr(caught.value)


@pytest.mark.parametrize("text", ["1e999", "[-1e999]", b'"\xed\xa0\x80"', '"a"'.encode("utf-16")])
def test_d053_strict_json_takes_no_infinity_and_only_utf8(text: str | bytes) -> None:
    with pytest.raises(JsonRefused):
        loads(text)


@pytest.mark.parametrize("name", ["a?b.db", "a#b.db"])
def test_a_facts_file_of_any_name(tmp_path: Path, name: str) -> None:
    world = FactWorld(URL.create("sqlite", database=str(tmp_path / name)))
    world.fill()
    assert codes(world) == []


def test_d038_trailing_blanks_are_part_of_a_name(world: FactWorld) -> None:
    world.alter("UPDATE pattern_itemset_item SET element_name = '猫 ' WHERE id = 1")
    assert "element_not_bound" in codes(world)


@pytest.mark.real_server
def test_d002_a_tiny_timeout_is_not_no_timeout(postgres_world: FactWorld) -> None:
    from sqlalchemy import text

    facts = FactsDatabase(postgres_world.url, statement_timeout_s=0.0004)
    with facts.snapshot() as snapshot:
        assert snapshot.execute(text("SHOW statement_timeout")).scalar_one() != "0"


def test_a_path_with_a_nul_is_an_error_of_usage() -> None:
    with pytest.raises(Pattern2PlanError):
        FileProposer(Path("a\x00b"), Path())
