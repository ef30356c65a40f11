"""Reading the weights of a total from outside, for replays under new ones (S-023, S-027)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from resources.foundation.errors import UsageError
from resources.foundation.strict_json import JsonRefused, loads
from supply_assets.scoring.records import Weights

NAMES = tuple(field.name for field in fields(Weights))
TOLERANCE = 1e-9
_FIX = f"give a JSON object with {', '.join(NAMES)}, each 0 … 1 and 1 in sum"


class WeightsRefused(UsageError):
    """Weights are missing, unknown, out of range, or do not sum to 1; the message names the field."""


def read_weights(source: str | Mapping[str, Any]) -> Weights:
    """Weights from a JSON object, as text or parsed; all five are named, none else.

    Raises:
        WeightsRefused: naming the field and what it may be.
    """
    given = _parsed(source)
    for name in given:
        if name not in NAMES:
            raise WeightsRefused(f"weights: {name!r} is no part of a total", _FIX)
    weights = Weights(**{name: _share(given, name) for name in NAMES})
    total = math.fsum(getattr(weights, name) for name in NAMES)
    if abs(total - 1) > TOLERANCE:
        raise WeightsRefused(f"weights: {' + '.join(NAMES)} = {total:.10g}, not 1", _FIX)
    return weights


def as_mapping(weights: Weights) -> dict[str, float]:
    """The weights as plain JSON, as ``score_detail`` keeps them and ``read_weights`` takes them."""
    return {name: float(getattr(weights, name)) for name in NAMES}


def _parsed(source: str | Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        given = loads(source) if isinstance(source, str) else source
    except JsonRefused as error:
        raise WeightsRefused(f"weights: {error.message}", _FIX) from error
    if not isinstance(given, Mapping):
        raise WeightsRefused("weights: not a JSON object", _FIX)
    return given


def _share(given: Mapping[str, Any], name: str) -> float:
    if name not in given:
        raise WeightsRefused(f"weights: {name} is missing", _FIX)
    value = given[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise WeightsRefused(f"weights: {name} is {str(value)[:40]!r}, a number of 0 … 1 is wanted", _FIX)
    return float(value)
