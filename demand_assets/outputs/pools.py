"""The two pools that are mirrored and never carry evidence (D-062): pure mappings of ``demand_content`` rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from demand_assets.evidence.terms import covered_segments, normal_form

GAP_STRATEGY = "当下供需gap"
GAP_TERM_STRATEGY = "当下供需gap-分词"
FEATURE_POINT_LEVEL = "全局树"


def multi_demand_pool_rows(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """``dwd_multi_demand_pool_di``: a demand once as a whole and once a term.

    Fields: ``strategy``, ``demand_id``, ``demand_name``, ``merge_leve2``, ``weight`` (the score),
    ``type``, ``dt``.
    """
    pool = []
    for row in rows:
        pool.append(_pool_row(row, GAP_STRATEGY, row["name"]))
        pool.extend(_pool_row(row, GAP_TERM_STRATEGY, term) for term in _terms(row))
    return pool


def feature_point_rows(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """``feature_point_data``: one row a distinct term of the ``全局树`` rows, in order of first use.

    The pattern facts know neither exposure nor return rate, so these two are null: unknown, not 0.
    """
    points: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        if row["merge_leve2"] == FEATURE_POINT_LEVEL:
            for term in _terms(row):
                point = {"特征点": term, "总分发曝光pv": None, "质bn_rovn": None, "dt": row["dt"]}
                points.setdefault((term, row["dt"]), point)
    return list(points.values())


def _pool_row(row: Mapping[str, Any], strategy: str, name: str) -> dict[str, Any]:
    return {
        "strategy": strategy,
        "demand_id": row["id"],
        "demand_name": name,
        "merge_leve2": row["merge_leve2"],
        "weight": row["score"],
        "type": row["ext_data"]["type"],
        "dt": row["dt"],
    }


def _terms(row: Mapping[str, Any]) -> list[str]:
    """The element names of a row; one that holds a comma stays whole where the evidence spells it so."""
    pack = row["ext_data"]["evidence_pack"]
    spelled = [binding["element_name"] for binding in pack["element_bindings"]]
    for binding in pack["category_bindings"]:
        spelled += [binding["category_name"] or "", *binding["category_path"].split("/")]
        spelled += (binding["category_full_path"] or "").split("/")
    words = frozenset(normal_form(word) for word in spelled)
    terms = covered_segments(row["name"], words) or row["name"].split(",")
    return [term for term in dict.fromkeys(terms) if term.strip()]
