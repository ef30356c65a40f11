"""Frames of the supply half: whole numbers stay whole beside nulls, also through a file (PG5)."""

from __future__ import annotations

import io

import pandas as pd

from resources.databases.supply_store.articles.candidates import NewCandidate, upsert_candidates
from supply_assets.orchestration.frames import candidate_frame
from tests.supply_chain import SupplyChain, request

BIG = 2**53 + 1


def test_pg5_a_big_count_beside_a_null_is_exact_in_the_frame_and_in_its_file(chain: SupplyChain) -> None:
    task_id = chain.ask(request()).tasks[0].task_id
    rows = [
        NewCandidate(task_id=task_id, dedup_hash=f"{n:064}", title="猫", url=f"https://x/{n}", view_count=views)
        for n, views in enumerate((BIG, None))
    ]
    chain.supply.write(lambda connection: upsert_candidates(connection, rows))
    frame = chain.read(lambda connection: candidate_frame(connection, [task_id]))
    file = io.BytesIO()
    frame.to_parquet(file)
    for found in (frame, pd.read_parquet(file)):
        assert str(found["view_count"].dtype) == "Int64"
        assert [str(count) for count in found["view_count"]] == ["9007199254740993", "<NA>"]
