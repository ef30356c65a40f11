"""The decision loop (D-014, D-015): it goes on after rejects, stops for one reason, and its counts add up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.engine import URL

from demand_assets.decisions.decision_loop import Loop, Observer, Outcome
from demand_assets.evidence.closure import Provenance, Reject
from demand_assets.evidence.refs import Broken
from demand_assets.evidence.weights import WeightScores
from demand_assets.outputs.ledger import counts, item_rows, ledger_rows
from demand_assets.proposers.file import FileProposer
from demand_assets.proposers.proposer import Identity, Proposals, StopReason
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation import strict_json
from resources.model.usage import Usage
from tests.small_facts import FactWorld, good_candidate

WEIGHTS = WeightScores(581, {"猫": 0.6, "治愈": 1.0}, {12: 1.0})
GOOD = good_candidate()
OTHERS = [good_candidate(element_names=[name]) for name in ("猫", "治愈", "动物", "情感", "猫咪")]
BAD = good_candidate(refs={"itemset_ids": [999]})
WORSE = Broken("{", "line 7: not JSON")


@dataclass
class Scripted:
    """Proposes what it was given, a batch a round, and keeps what it was told."""

    batches: list[Proposals]
    usage: Usage = field(default_factory=Usage)
    told: list[list[Reject]] = field(default_factory=list)
    wanted: list[int] = field(default_factory=list)
    identity: Identity = field(default_factory=lambda: Identity("scripted"))

    def propose(self, wanted: int, feedback: Sequence[Reject]) -> Proposals:
        self.wanted.append(wanted)
        self.told.append(list(feedback))
        return self.batches[len(self.wanted) - 1] if len(self.wanted) <= len(self.batches) else Proposals([])


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FactsDatabase]:
    world = FactWorld(URL.create("sqlite", database=str(tmp_path_factory.mktemp("loop") / "facts.db")))
    world.fill()
    with world.open() as database:
        yield database
    world.close()


def run(facts: FactsDatabase, proposer: Scripted | FileProposer, count: int = 2, max_rounds: int = 9) -> Outcome:
    outcome = Loop(facts, 581, WEIGHTS, Provenance("t"), count, max_rounds).run(proposer)
    assert len(outcome.proposed) == len(outcome.accepted) + len(outcome.rejects) + len(outcome.duplicates)
    return outcome


def seqs(outcome: Outcome) -> tuple[list[int], list[int], list[int]]:
    return [d.seq for d in outcome.accepted], [e.seq for e in outcome.rejects], outcome.duplicates


def test_d015_a_reject_is_followed_by_the_next(facts: FactsDatabase) -> None:
    outcome = run(facts, Scripted([Proposals([BAD, WORSE, GOOD, BAD, OTHERS[0], OTHERS[1]])]))

    assert seqs(outcome) == ([3, 5], [1, 2, 4], [])
    assert outcome.stop_reason == StopReason.COUNT_REACHED
    assert outcome.rejects_by_code() == {"itemset_not_found": 2, "malformed_refs": 1}


def test_d015_rejects_are_made_good_by_another_round(facts: FactsDatabase) -> None:
    proposer = Scripted([Proposals([BAD, GOOD]), Proposals([WORSE]), Proposals([OTHERS[0]])])

    outcome = run(facts, proposer)

    assert proposer.wanted == [2, 1, 1]
    assert [[reject.reject_code for reject in told] for told in proposer.told] == [
        [],
        ["itemset_not_found"],
        ["malformed_refs"],
    ]
    assert [(entry.seq, entry.round) for entry in outcome.rejects] == [(1, 1), (3, 2)]
    assert outcome.rounds == 3


def test_d015_a_demand_proposed_twice_is_a_duplicate(facts: FactsDatabase) -> None:
    other_post = good_candidate(refs={"source_post_id": "p2"})

    outcome = run(facts, Scripted([Proposals([GOOD, GOOD, other_post, GOOD])]), count=9)

    assert seqs(outcome) == ([1, 3], [], [2, 4])


def test_d021_an_accepted_demand_has_its_score(facts: FactsDatabase) -> None:
    assert [demand.score for demand in run(facts, Scripted([Proposals([GOOD])]), count=1).accepted] == [0.8]


@pytest.mark.parametrize(
    "stop",
    [
        StopReason.NO_FACTS,
        StopReason.FACTS_USED_UP,
        StopReason.FILE_USED_UP,
        StopReason.CALLS_SPENT,
        StopReason.TOKENS_SPENT,
        StopReason.PROPOSER_FAILED,
    ],
)
def test_d015_the_proposers_reason_is_the_runs(facts: FactsDatabase, stop: StopReason) -> None:
    proposer = Scripted([Proposals([GOOD, BAD], stop, failure="why")], usage=Usage(3, 1000, 500))

    outcome = run(facts, proposer)

    assert (outcome.stop_reason, outcome.failure, outcome.rounds) == (stop, "why", 1)
    assert outcome.usage == Usage(3, 1000, 500)


def test_d015_enough_is_the_reason_even_where_the_proposer_stops_too(facts: FactsDatabase) -> None:
    outcome = run(facts, Scripted([Proposals([GOOD, OTHERS[0]], StopReason.FILE_USED_UP)]))

    assert outcome.stop_reason == StopReason.COUNT_REACHED


def test_d015_a_round_without_candidates_ends_the_run(facts: FactsDatabase) -> None:
    outcome = run(facts, Scripted([Proposals([GOOD]), Proposals([])]))

    assert (outcome.stop_reason, outcome.rounds) == (StopReason.PROPOSER_STOPPED, 2)


def test_d015_rounds_are_bounded(facts: FactsDatabase) -> None:
    outcome = run(facts, Scripted([Proposals([BAD])] * 99), max_rounds=3)

    assert (outcome.stop_reason, outcome.rounds, len(outcome.rejects)) == (StopReason.ROUNDS_SPENT, 3, 3)


def test_d015_what_is_left_over_was_not_proposed(facts: FactsDatabase) -> None:
    outcome = run(facts, Scripted([Proposals([GOOD, *OTHERS])]), count=1)

    assert [proposed.seq for proposed in outcome.proposed] == [1]


def test_d015_more_candidates_than_a_chunk(facts: FactsDatabase) -> None:
    outcome = run(facts, Scripted([Proposals([BAD] * 2500 + [GOOD])]), count=2400)

    assert seqs(outcome) == ([2501], list(range(1, 2501)), [])


def test_d043a_the_ledger_tells_who_and_when(facts: FactsDatabase) -> None:
    identity = Identity("agent", "model-x", "f" * 64)
    proposer = Scripted([Proposals([BAD, GOOD])], usage=Usage(4, 1500, 500), identity=identity)

    outcome = run(facts, proposer, count=1)
    (row,) = ledger_rows(outcome)
    summary = counts(outcome, 1)

    assert (row["seq"], row["round"], row["proposer"], row["model"]) == (1, 1, "agent", "model-x")
    assert row["prompt_version"] == "f" * 64
    assert row["reject_code"] == "itemset_not_found"
    assert (summary["accepted_per_call"], summary["accepted_per_1000_tokens"]) == (0.25, 0.5)
    assert [item["verdict"] for item in item_rows(outcome)] == ["rejected", "accepted"]


def test_d043a_the_ledger_tells_the_round(facts: FactsDatabase) -> None:
    outcome = run(facts, Scripted([Proposals([BAD]), Proposals([GOOD, BAD])]), count=2)
    assert [(row["seq"], row["round"]) for row in ledger_rows(outcome)] == [(1, 1), (3, 2)]


def test_d015_the_observer_hears_of_each_round_before_it_is_decided(facts: FactsDatabase) -> None:
    heard: list[object] = []
    observer = Observer(
        lambda fresh: heard.append([proposed.seq for proposed in fresh]),
        lambda outcome: heard.append(len(outcome.accepted)),
    )
    loop = Loop(facts, 581, WEIGHTS, Provenance("t"), 2, 9, observer)

    loop.run(Scripted([Proposals([GOOD, BAD]), Proposals([OTHERS[0]])]))

    assert heard == [[1, 2], 1, [3], 2]


def test_d014_broken_lines_of_a_file_do_not_stop_the_good_ones(facts: FactsDatabase, tmp_path: Path) -> None:
    lines = ["{", "[]", strict_json.dumps(GOOD), '{"a":1,"a":2}', strict_json.dumps(OTHERS[0]), "NaN"]
    (tmp_path / "candidates.jsonl").write_text("\n".join(lines), encoding="utf-8")

    outcome = run(facts, FileProposer(Path("candidates.jsonl"), tmp_path), count=9)

    assert seqs(outcome) == ([3, 5], [1, 2, 4, 6], [])
    assert outcome.stop_reason == StopReason.FILE_USED_UP
    places = [entry.reject.reject_reason.split(":")[0] for entry in outcome.rejects]
    assert places == ["line 1", "line 2", "line 4", "line 6"]


CANDIDATES = st.sampled_from([GOOD, *OTHERS, BAD, WORSE])
STOPS = st.none() | st.sampled_from(list(StopReason))
BATCHES = st.lists(st.builds(Proposals, st.lists(CANDIDATES, max_size=5), STOPS), max_size=4)


@settings(max_examples=40, deadline=None)
@given(batches=BATCHES, count=st.integers(1, 5), max_rounds=st.integers(1, 4))
def test_d015_counts_always_add_up(facts: FactsDatabase, batches: list[Proposals], count: int, max_rounds: int) -> None:
    outcome = run(facts, Scripted(batches), count, max_rounds)

    accepted, rejects, duplicates = seqs(outcome)
    assert sorted([*accepted, *rejects, *duplicates]) == [proposed.seq for proposed in outcome.proposed]
    assert len(accepted) <= count
    assert outcome.rounds <= max_rounds
    assert len({demand.key for demand in outcome.accepted}) == len(accepted)
    assert len(accepted) < count or outcome.stop_reason == StopReason.COUNT_REACHED
