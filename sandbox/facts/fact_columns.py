"""What a column of a fact table may hold, and the exact pandas column of it.

Belongs here: types, ranges, lengths and forbidden characters, as ``resources.databases.pattern_facts.tables`` declares
them. Does not belong here: what rows mean to each other (``fact_base``), files, databases.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sqlalchemy import BigInteger, Column, Float, Integer, String, Table

from resources.foundation.errors import UsageError

EXACT_FLOAT = 2**53
INT64_MAX = 2**63 - 1
INT32_MAX = 2**31 - 1


class FactBaseInvalid(UsageError):
    """A fact table cannot be stored unchanged; the message names table, column and row."""


def conform(table: Table, frame: pd.DataFrame) -> pd.DataFrame:
    """The columns of ``table`` in its order as ``Int64``, ``Float64`` and ``string``; others are left out.

    Raises:
        FactBaseInvalid: a column is missing, an id occurs twice, a null stands where the table takes none, or
            a value cannot be kept unchanged (inexact number; text with NUL, a lone surrogate, too long).
    """
    missing = [column.key for column in table.columns if column.key not in frame.columns]
    if missing:
        raise FactBaseInvalid(
            f"table {table.name} has no column {', '.join(missing)}",
            f"give it the columns {', '.join(column.key for column in table.columns)}",
        )
    kept = {column.key: _conform_column(column, frame[column.key]) for column in table.columns}
    result = pd.DataFrame(kept).reset_index(drop=True)
    for column in table.primary_key.columns:
        repeated = result[column.key].duplicated()
        if repeated.any():
            raise FactBaseInvalid(f"table {table.name} lists id {result[column.key][repeated].iloc[0]} twice")
    return result


def _conform_column(column: Column[object], series: pd.Series) -> pd.Series:
    series = series.reset_index(drop=True)
    if isinstance(column.type, Integer):
        limit = INT64_MAX if isinstance(column.type, BigInteger) else INT32_MAX
        kept = _whole_numbers(column, series, limit)
    elif isinstance(column.type, Float):
        kept = _fractions(column, series)
    else:
        assert isinstance(column.type, String)
        kept = _texts(column, series, column.type.length or INT32_MAX)
    if not column.nullable and kept.isna().any():
        raise _invalid(column, "is null", int(kept.isna().to_numpy().argmax()))
    return kept


def _whole_numbers(column: Column[object], series: pd.Series, limit: int) -> pd.Series:
    present = series.dropna()
    if present.empty:
        return pd.Series(pd.array([None] * len(series), dtype="Int64"))
    if pd.api.types.is_bool_dtype(present.dtype):
        raise _invalid(column, "is a truth value, not a whole number", present.index[0])
    if pd.api.types.is_float_dtype(present.dtype):
        inexact = (present % 1 != 0) | (present.abs() > EXACT_FLOAT)
        if inexact.any():
            raise _invalid(column, "is a fraction or beyond 2^53 in a column of floats", inexact.idxmax())
    elif not pd.api.types.is_integer_dtype(present.dtype):
        strange = ~present.map(_is_whole).astype(bool)
        if strange.any():
            raise _invalid(column, "is not a whole number", strange.idxmax())
    outside = (present > limit) | (present < -limit)
    if outside.any():
        raise _invalid(column, f"is outside -{limit} … {limit}", outside.idxmax())
    return series.astype("Int64")


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _fractions(column: Column[object], series: pd.Series) -> pd.Series:
    try:
        numbers = series.astype("Float64")
    except (TypeError, ValueError):
        raise FactBaseInvalid(f"{column.table.name}.{column.key} is not a column of numbers") from None
    infinite = numbers.isin([float("inf"), float("-inf")])
    if infinite.any():
        raise _invalid(column, "is infinite", infinite.idxmax())
    return numbers


def _texts(column: Column[object], series: pd.Series, longest: int) -> pd.Series:
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        series = series.dt.strftime("%Y-%m-%d %H:%M:%S")
    if not isinstance(series.dtype, pd.StringDtype):
        strange = ~series.dropna().map(lambda value: isinstance(value, str)).astype(bool)
        if strange.any():
            raise _invalid(column, "is not text", strange.idxmax())
    try:
        texts = series.astype("string")
    except UnicodeEncodeError:
        raise FactBaseInvalid(f"{column.table.name}.{column.key} holds a lone surrogate") from None
    if (with_nul := _true(texts.str.contains("\x00", regex=False))).any():
        raise _invalid(column, "holds a NUL character", with_nul.idxmax())
    if (too_long := _true(texts.str.len() > longest)).any():
        raise _invalid(column, f"is longer than {longest} characters", too_long.idxmax())
    return texts


def _true(flags: pd.Series) -> pd.Series:
    return flags.fillna(False).astype(bool)


def _invalid(column: Column[object], what: str, row: object) -> FactBaseInvalid:
    return FactBaseInvalid(f"{column.table.name}.{column.key} {what} in row {int(str(row)) + 1}")
