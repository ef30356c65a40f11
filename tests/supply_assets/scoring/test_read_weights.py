"""Weights from outside (S-023, S-027)."""

from __future__ import annotations

from typing import Any

import pytest

from supply_assets.scoring.ranking.weights import WeightsRefused, as_mapping, read_weights
from supply_assets.scoring.records import Weights

EVEN = {"relevance": 0.2, "popularity": 0.2, "quality": 0.2, "account": 0.2, "elder": 0.2}


def test_s023_the_contracts_weights_are_the_default_and_read_back() -> None:
    assert as_mapping(Weights()) == {
        "relevance": 0.30,
        "popularity": 0.25,
        "quality": 0.25,
        "account": 0.15,
        "elder": 0.05,
    }
    assert read_weights(as_mapping(Weights())) == Weights()


def test_s027_weights_are_read_from_text_and_whole_numbers_count() -> None:
    text = '{"relevance": 1, "popularity": 0, "quality": 0, "account": 0, "elder": 0}'

    assert read_weights(text) == Weights(1.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ({**EVEN, "elder": 0.3}, "not 1"),
        ({**EVEN, "elder": -0.2, "account": 0.6}, "elder is"),
        ({**EVEN, "elder": 1.2}, "elder is"),
        ({**dict.fromkeys(EVEN, 0), "quality": True}, "quality is"),
        ({**EVEN, "quality": "0.2"}, "quality is"),
        ({**EVEN, "quality": None}, "quality is"),
        ({**EVEN, "quality": float("nan")}, "quality is"),
        ({name: share for name, share in EVEN.items() if name != "account"}, "account is missing"),
        ({**EVEN, "novelty": 0.0}, "novelty"),
        ("[]", "not a JSON object"),
        ("{", "not strict JSON"),
        ('{"relevance": 1, "relevance": 1}', "duplicate key"),
        ("5", "not a JSON object"),
    ],
)
def test_s027_bad_weights_are_refused_with_the_field_named(source: str | dict[str, Any], named: str) -> None:
    with pytest.raises(WeightsRefused, match=named) as refused:
        read_weights(source)

    assert refused.value.exit_code == 2
    assert "1 in sum" in refused.value.fix


def test_s023_a_sum_within_rounding_is_taken() -> None:
    assert read_weights({**EVEN, "elder": 0.2 + 5e-10}).elder == 0.2 + 5e-10
