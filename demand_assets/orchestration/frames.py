"""The frames between assets: columns, and the way from decisions to frames and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
from pydantic import ValidationError

from demand_assets.decisions.decision_loop import AcceptedDemand, Outcome
from demand_assets.evidence.pack import DemandRow, EvidencePack
from demand_assets.evidence.refs import Candidate, storable_raw
from demand_assets.evidence.weights import WeightScores
from demand_assets.outputs.ledger import ledger_rows
from resources.databases.pattern_facts.records import ItemsetOutline
from resources.foundation import strict_json
from resources.foundation.errors import PackRefused
from resources.foundation.secret_masking import SecretMask

ITEMSET_COLUMNS = ("itemset_id", "support", "absolute_support", "items", "branches")
WEIGHT_COLUMNS = ("kind", "name", "category_id", "score")
CANDIDATE_COLUMNS = ("seq", "round", "candidate")
VALIDATED_COLUMNS = ("seq", "name", "score", "itemset_id", "source_post_id", "candidate", "evidence_pack")
REJECTED_COLUMNS = (
    "seq", "round", "reject_code", "reject_reason", "reject_codes", "element_names", "corrections", "candidate",
    "proposer", "model", "prompt_version",
)  # fmt: skip
CONTENT_COLUMNS = (
    "id", "merge_leve2", "name", "reason", "suggestion", "score", "ext_data", "dt",
    "run_label", "output_mode", "run_folder",
)  # fmt: skip
_JSON_OF_REJECT = ("reject_codes", "element_names", "corrections", "candidate")


def itemset_frame(outlines: Iterable[ItemsetOutline]) -> pd.DataFrame:
    """One topic itemset a row."""
    rows = [
        (
            outline.id,
            outline.support,
            outline.absolute_support,
            len(outline.items),
            "、".join(dict.fromkeys(item.category_full_path or "" for item in outline.items)),
        )
        for outline in outlines
    ]
    return _frame(rows, ITEMSET_COLUMNS)


def weight_frame(weights: WeightScores) -> pd.DataFrame:
    """One element or category a row."""
    elements = [("element", name, None, score) for name, score in weights.elements.items()]
    categories = [("category", None, key, score) for key, score in weights.categories.items()]
    frame = _frame([*elements, *categories], WEIGHT_COLUMNS)
    return frame.astype({"category_id": "Int64"})


def weights_of(frame: pd.DataFrame, execution_id: int) -> WeightScores:
    """The scores of a :func:`weight_frame`."""
    elements = frame[frame["kind"] == "element"]
    categories = frame[frame["kind"] == "category"]
    return WeightScores(
        execution_id,
        {str(name): float(score) for name, score in zip(elements["name"], elements["score"], strict=True)},
        {int(key): float(score) for key, score in zip(categories["category_id"], categories["score"], strict=True)},
    )


def candidate_frame(outcome: Outcome) -> pd.DataFrame:
    """One candidate a row, as given but for secrets."""
    mask = SecretMask.of_environment()
    rows = [(p.seq, p.round, strict_json.dumps(mask.hidden(storable_raw(p.raw)))) for p in outcome.proposed]
    return _frame(rows, CANDIDATE_COLUMNS)


def validated_frame(outcome: Outcome) -> pd.DataFrame:
    """One accepted demand a row, with its candidate and its pack as strict JSON."""
    rows = [
        (
            demand.seq,
            demand.candidate.name,
            demand.score,
            demand.pack.itemset_ids[0],
            demand.pack.source_post_id,
            strict_json.dumps(demand.candidate.model_dump(mode="json")),
            strict_json.dumps(demand.pack.model_dump(mode="json")),
        )
        for demand in outcome.accepted
    ]
    return _frame(rows, VALIDATED_COLUMNS)


def accepted_of(frame: pd.DataFrame) -> list[AcceptedDemand]:
    """The accepted demands of a :func:`validated_frame`.

    Raises:
        PackRefused: a row was altered into something that is no pack or no candidate.
    """
    demands = []
    for record in frame.to_dict("records"):
        try:
            candidate = Candidate.model_validate(strict_json.loads(record["candidate"]))
            pack = EvidencePack.model_validate(strict_json.loads(record["evidence_pack"]))
        except (ValidationError, strict_json.JsonRefused) as error:
            detail = error.errors(include_input=False)[0]["msg"] if isinstance(error, ValidationError) else error
            raise PackRefused(f"validated_demands seq {record['seq']}: {detail}", _AGAIN) from None
        demands.append(AcceptedDemand(int(record["seq"]), candidate, pack, float(record["score"])))
    return demands


def rejected_frame(outcome: Outcome) -> pd.DataFrame:
    """One reject a row; lists as strict JSON."""
    rows = [
        tuple(strict_json.dumps(row[name]) if name in _JSON_OF_REJECT else row[name] for name in REJECTED_COLUMNS)
        for row in ledger_rows(outcome)
    ]
    return _frame(rows, REJECTED_COLUMNS)


def content_frame(rows: Sequence[DemandRow], output_mode: str, run_folder: str) -> pd.DataFrame:
    """One published row a row, ``ext_data`` as strict JSON, with where and how it was published."""
    records: list[tuple[Any, ...]] = []
    for row in rows:
        plain = row.model_dump(mode="json")
        plain["ext_data"] = strict_json.dumps(plain["ext_data"])
        own = [plain[name] for name in CONTENT_COLUMNS[:8]]
        records.append((*own, row.ext_data.run_label, output_mode, run_folder))
    return _frame(records, CONTENT_COLUMNS)


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Published rows of a :func:`content_frame` as plain values."""
    names = CONTENT_COLUMNS[:8]
    return [
        {name: record[name] for name in names} | {"ext_data": strict_json.loads(record["ext_data"])}
        for record in frame.to_dict("records")
    ]


_AGAIN = "materialize validated_demands of this partition again"


def _frame(rows: Sequence[tuple[Any, ...]], columns: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(columns))
