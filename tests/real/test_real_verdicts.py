"""The verdicts of the public candidates and of the itemsets that are broken on purpose (section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select

from demand_assets.decisions.decision_loop import Loop
from demand_assets.evidence.closure import Accepted, Decision, Provenance, decide
from demand_assets.evidence.reproof import Published, reprove
from demand_assets.evidence.weights import read_weight_scores
from demand_assets.proposers.file import FileProposer
from demand_assets.proposers.proposer import StopReason
from demand_assets.proposers.rules import RulesProposer
from resources.databases.pattern_facts import tables
from resources.databases.pattern_facts.closure_facts import read_bindings, read_items
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.pattern_facts.listing import choose_source_posts
from resources.foundation import strict_json
from sandbox.facts.facts_load import load_facts
from tests.real_servers import POSTGRES, temporary_database

pytestmark = [pytest.mark.real_data, pytest.mark.real_server, pytest.mark.xdist_group("public facts")]
PROVENANCE = Provenance("trace")


@pytest.fixture(scope="module")
def facts(real_data: Path) -> Iterator[FactsDatabase]:
    """The public facts on PostgreSQL."""
    with temporary_database(POSTGRES) as url:
        load_facts(real_data / "pattern_v2", url)
        database = FactsDatabase(url)
        yield database
        database.close()


def labelled(real_data: Path, name: str) -> list[dict[str, Any]]:
    lines = (real_data / "pattern_v2" / name).read_bytes().splitlines()
    return [strict_json.loads(line) for line in lines]


def failing(decision: Decision) -> list[str]:
    return [] if isinstance(decision, Accepted) else [str(code) for code in decision.reject_codes]


def test_the_93_candidates_get_the_verdict_they_must(facts: FactsDatabase, real_data: Path) -> None:
    cases = labelled(real_data, "candidates.jsonl")
    with facts.snapshot() as snapshot:
        decisions = decide(snapshot, 581, [case["candidate"] for case in cases], PROVENANCE)

    wrong = []
    for case, decision in zip(cases, decisions, strict=True):
        found, expected = failing(decision), case["expected"].split("|")
        right = not found if expected == ["accepted"] else bool(set(found) & set(expected))
        if len(expected) == 1 and found:
            right = right and found[0] == expected[0]
        if not right:
            wrong.append((case["case"], case["expected"], found))
    assert len(cases) == 93
    assert wrong == []


def some_post(snapshot: Connection, itemset_id: int) -> str | None:
    post = tables.itemset_post.c
    statement = select(post.post_id).where(post.itemset_id == itemset_id, post.post_id != "").limit(1)
    return snapshot.execute(statement).scalar()


def candidates_for(snapshot: Connection, execution_id: int, itemset_ids: list[int]) -> list[dict[str, Any]]:
    """For each itemset a candidate that claims no more than the itemset itself says."""
    posts = choose_source_posts(snapshot, execution_id, itemset_ids)
    posts |= {i: post for i in itemset_ids if i not in posts and (post := some_post(snapshot, i))}
    bindings = read_bindings(snapshot, execution_id, posts.items())
    items = read_items(snapshot, itemset_ids)
    made = []
    for itemset_id in itemset_ids:
        post = posts.get(itemset_id)
        bound = [binding.element_name for binding in bindings.get((itemset_id, post or ""), ())]
        named = [item.category_name for item in items.get(itemset_id, ()) if item.category_name]
        refs = {"source_kind": "pattern_itemset", "itemset_ids": [itemset_id], "source_post_id": post}
        made.append({"element_names": (bound or named or ["无"])[:3], "evidence_refs": refs})
    return made


@pytest.mark.parametrize(("execution_id", "number"), [(581, 117), (584, 105)])
def test_the_222_broken_itemsets_get_the_code_they_must(
    facts: FactsDatabase, real_data: Path, execution_id: int, number: int
) -> None:
    defects = [one for one in labelled(real_data, "defects.jsonl") if one["execution_id"] == execution_id]
    with facts.snapshot() as snapshot:
        candidates = candidates_for(snapshot, execution_id, [one["itemset_id"] for one in defects])
        decisions = decide(snapshot, execution_id, candidates, PROVENANCE)

    wrong = []
    for defect, decision in zip(defects, decisions, strict=True):
        found = failing(decision) or ["accepted"]
        if found[0] != defect["expected"]:
            wrong.append((defect["itemset_id"], defect["defect"], defect["expected"], found))
    assert len(defects) == number
    assert wrong == []


def test_d015_a_file_of_the_93_brings_what_is_good_in_it(facts: FactsDatabase, real_data: Path, tmp_path: Path) -> None:
    cases = labelled(real_data, "candidates.jsonl")
    (tmp_path / "c.jsonl").write_text(
        "\n".join(strict_json.dumps(case["candidate"]) for case in cases), encoding="utf-8"
    )
    with facts.snapshot() as snapshot:
        weights = read_weight_scores(snapshot, 581)

    outcome = Loop(facts, 581, weights, PROVENANCE, 99, 9).run(FileProposer(Path("c.jsonl"), tmp_path))

    good = [seq for seq, case in enumerate(cases, start=1) if case["expected"] == "accepted"]
    assert sorted([demand.seq for demand in outcome.accepted] + outcome.duplicates) == good
    assert len(outcome.proposed) == 93
    assert outcome.stop_reason == StopReason.FILE_USED_UP


@pytest.mark.parametrize("execution_id", [581, 584])
def test_d016_d072_what_the_rules_propose_of_real_facts_closes(facts: FactsDatabase, execution_id: int) -> None:
    with facts.snapshot() as snapshot:
        weights = read_weight_scores(snapshot, execution_id)
    proposer = RulesProposer(facts, execution_id, weights)

    outcome = Loop(facts, execution_id, weights, PROVENANCE, count=50, max_rounds=50).run(proposer)

    assert len(outcome.accepted) == 50
    assert all(0 < demand.score <= 1 for demand in outcome.accepted)
    published = [Published(str(d.seq), d.candidate.name, d.pack) for d in outcome.accepted]
    with facts.snapshot() as snapshot:
        assert reprove(snapshot, published) == []
