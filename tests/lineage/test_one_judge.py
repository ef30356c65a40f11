"""Whoever judges a published row says the same of it, with the same codes (S-002, D-073)."""

from __future__ import annotations

from collections.abc import Sequence

from demand_assets.evidence.drift import verify_published
from demand_assets.evidence.reproof import Drift
from lineage.trace import chains_of_tasks, prove
from resources.databases.supply_store.tasks.snapshots import read_snapshots
from supply_assets.standing.standing_demands import recheck_tasks
from tests.supply_assets.intake.test_intake import TAMPERED, put_in_pack
from tests.supply_chain import SupplyChain, of_post

Codes = dict[int, list[str]]
OF_THE_TASK = ("S-001", "S-003", "S-006")
"""Rules on what a task took in, which are no part of the proof of its row."""


def by_row(drifts: Sequence[Drift]) -> Codes:
    found: Codes = {}
    for drift in drifts:
        found.setdefault(int(drift.key.removeprefix("demand_content ")), []).append(f"{drift.rule_id} {drift.code}")
    return found


def test_s002_d073_verify_standing_trace_and_intake_give_each_altered_row_the_same_codes(chain: SupplyChain) -> None:
    [sound] = chain.publish(of_post("p1"))
    altered = {how: chain.copy_row(sound) for how in TAMPERED}
    for row_id in altered.values():
        chain.alter_row(row_id, put_in_pack(demand_content_id=row_id))
    tasks = chain.take_in().tasks
    for how, row_id in altered.items():
        chain.alter_row(row_id, TAMPERED[how][0])

    with chain.facts.open() as facts:
        verified = by_row(verify_published(chain.demands, facts).drifts)
        snapshots = chain.read(lambda connection: read_snapshots(connection, [t.demand_snapshot_id for t in tasks]))
        standings = recheck_tasks(tasks, snapshots, chain.demands, facts)
        chains = chains_of_tasks([task.task_id for task in tasks], chain.supply)
        prove(chains, chain.demands, facts)
    refused = {one.demand_id: list(one.codes) for one in chain.take_in().refusals}
    stood = {
        task.demand_id: [f"{b.rule_id} {b.code}" for b in standing.breaks if b.rule_id not in OF_THE_TASK]
        for task, standing in zip(tasks, standings, strict=True)
    }

    assert set(verified) == set(altered.values())
    assert refused == verified
    assert {row_id: codes for row_id, codes in stood.items() if codes} == verified
    for one in chains:
        said = verified.get(one.evidence.demand_id, [])
        assert all(any(text.startswith(f"{code}:") for text in one.broken) for code in said), one.broken
        assert one.closed == (one.evidence.demand_id == sound)
    for how, row_id in altered.items():
        assert verified[row_id][0].startswith(TAMPERED[how][1]), how
