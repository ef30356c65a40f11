"""What metadata is made of: nothing that a page, strict JSON or a second pass would stumble over."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from resources.platform.plain_values import TEXT_LIMIT, plain
from resources.platform.views import frame_table

MISSING = [None, float("nan"), math.inf, np.float64("nan"), pd.NaT, pd.NA, np.datetime64("NaT")]
VALUES = [
    *MISSING,
    0,
    2**63,
    True,
    np.int64(7),
    np.bool_(False),
    0.5,
    "猫",
    "长" * 900,
    datetime(2026, 6, 1, tzinfo=UTC),
]


@pytest.mark.parametrize("missing", MISSING, ids=repr)
def test_pg6_what_is_missing_is_none_and_stays_none(missing: Any) -> None:
    assert plain(missing) is None
    assert plain(plain(missing)) is None


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:20])
def test_pg6_dg14_a_second_pass_changes_nothing(value: Any) -> None:
    once = plain(value)
    assert plain(once) == once
    assert type(once) in (type(None), bool, int, float, str)
    assert len(json.dumps(once, allow_nan=False)) <= TEXT_LIMIT * 6 + 2


def test_pg6_a_missing_time_is_an_empty_cell() -> None:
    frame = pd.DataFrame({"at": [pd.Timestamp("2026-06-01", tz="UTC"), None], "n": [1, None]})
    first, second = frame_table(frame).records
    assert first.data["at"].startswith("2026-06-01")
    assert (second.data["at"], second.data["n"]) == ("", "")
