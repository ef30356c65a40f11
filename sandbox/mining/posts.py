"""A user's own tagged posts: what the file may look like, and the frame it becomes.

Belongs here: reading and checking CSV and Parquet. Does not belong here: what a tag means (``mining``).
"""

from __future__ import annotations

import csv
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from resources.foundation.errors import UsageError
from sandbox.facts.table_bounds import check_parquet, check_text_file
from sandbox.mining.category_tree import CategoryPathInvalid, normal_path

COLUMNS = ("id", "title", "category_path", "tags")
SPELLINGS = {"category path": "category_path"}
"""Headings of a CSV that are taken for a column's name."""
MAX_ID = 128
MAX_TAG = 255
_SEPARATORS = re.compile(r"[;；,，、]")


class PostsInvalid(UsageError):
    """A file of posts cannot be mined; the message names the row and the column."""


def read_posts(path: Path) -> pd.DataFrame:
    """Posts of a ``.csv`` (UTF-8, with or without a byte order mark) or ``.parquet`` file, in its order.

    Columns ``id``, ``title``, ``category_path`` (``/实质/健康/养生``; without a
    dimension, ``健康/养生``, below 实质) and ``tags``, a
    list in Parquet, text separated by ``;`` ``,`` or ``、`` (full width too) in CSV; other columns are
    ignored. A tag is trimmed, a blank one dropped, a repeated one kept once.

    Returns:
        Columns ``id``, ``title``, ``category_path`` (text) and ``tags`` (lists of text), one row a post.

    Raises:
        PostsInvalid: the file is missing or not readable; a column is missing; an id is blank, too long or
            there twice; a path is no category path; a post has no tag; a text holds NUL; a tag is too long.
    """
    rows = {".csv": _csv_rows, ".parquet": _parquet_rows}.get(path.suffix.lower())
    if rows is None:
        raise PostsInvalid(f"{path} is neither a .csv nor a .parquet file")
    if not path.is_file():
        raise PostsInvalid(f"there is no file {path}")
    return _checked(rows(path))


def check_posts(posts: pd.DataFrame) -> pd.DataFrame:
    """A frame of posts made elsewhere, checked and normalised as :func:`read_posts` does.

    Raises:
        PostsInvalid: as :func:`read_posts`.
    """
    _require_columns(posts.columns)
    records = posts[list(COLUMNS)].itertuples(index=False)
    return _checked((f"row {place}", tuple(record)) for place, record in enumerate(records, 1))


_Row = tuple[str, tuple[object, ...]]


def _csv_rows(path: Path) -> Iterator[_Row]:
    try:
        check_text_file(path)
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            header = [SPELLINGS.get(name.strip(), name.strip()) for name in next(reader, [])]
            _require_columns(header)
            places = [header.index(name) for name in COLUMNS]
            for record in reader:
                if not record:
                    continue
                if len(record) != len(header):
                    raise PostsInvalid(
                        f"line {reader.line_num} has {len(record)} fields, the header {len(header)}",
                        "quote a field that holds a comma, or separate tags by ;",
                    )
                yield f"line {reader.line_num}", tuple(record[place] for place in places)
    except UnicodeDecodeError:
        raise PostsInvalid(f"{path} is not UTF-8", "save it as CSV UTF-8") from None
    except csv.Error as error:
        raise PostsInvalid(f"{path} is not well-formed CSV: {error}") from error
    except OSError as error:
        raise PostsInvalid(f"{path} cannot be read: {error.strerror}") from error


def _parquet_rows(path: Path) -> Iterator[_Row]:
    try:
        file = pq.ParquetFile(path)
        check_parquet(file, path)
        _require_columns(file.schema_arrow.names)
        columns = [file.read(columns=[name]).column(0).to_pylist() for name in COLUMNS]
    except (pa.ArrowException, OSError) as error:
        raise PostsInvalid(f"{path} is not a readable Parquet file: {error}") from error
    for place, record in enumerate(zip(*columns, strict=True), 1):
        yield f"row {place}", record


def _require_columns(names: Iterable[str]) -> None:
    missing = [name for name in COLUMNS if name not in set(names)]
    if missing:
        raise PostsInvalid(f"posts have no column {', '.join(missing)}", f"columns are {', '.join(COLUMNS)}")


def _checked(rows: Iterable[_Row]) -> pd.DataFrame:
    seen: dict[str, str] = {}
    checked = []
    for where, (raw_id, title, path, tags) in rows:
        post_id = _post_id(where, raw_id)
        if post_id in seen:
            raise PostsInvalid(f"{where}: id {post_id!r} is that of {seen[post_id]} already")
        seen[post_id] = where
        checked.append((post_id, _text(where, "title", title), _path(where, path), _tags(where, tags)))
    if not checked:
        raise PostsInvalid("there is no post to mine")
    return pd.DataFrame(checked, columns=list(COLUMNS))


def _post_id(where: str, value: object) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(where, "id", value)
    if not 0 < len(text) <= MAX_ID:
        what = f"longer than {MAX_ID} characters" if text else "blank"
        raise PostsInvalid(f"{where}: id is {what}")
    return text


def _path(where: str, value: object) -> str:
    try:
        return normal_path(_text(where, "category_path", value))
    except CategoryPathInvalid as error:
        raise PostsInvalid(f"{where}: {error.message}", error.fix) from None


def _tags(where: str, value: object) -> list[str]:
    """Distinct tags in order; a tag of invisible characters only is blank."""
    parts = _SEPARATORS.split(value) if isinstance(value, str) else value
    if parts is None or not isinstance(parts, Iterable):
        raise PostsInvalid(f"{where}: tags is neither a list nor text")
    texts = [_text(where, "tags", part) for part in parts]
    tags = list(dict.fromkeys(text for text in texts if _visible(text)))
    if not tags:
        raise PostsInvalid(f"{where}: tags is blank", "give the post a tag or leave it out")
    if max(map(len, tags)) > MAX_TAG:
        raise PostsInvalid(f"{where}: a tag is longer than {MAX_TAG} characters")
    return tags


def _visible(text: str) -> bool:
    return any(unicodedata.category(character) not in ("Cf", "Zs") for character in text)


def _text(where: str, column: str, value: object) -> str:
    """Trimmed text; nothing given is blank."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return ""
    if not isinstance(value, str):
        raise PostsInvalid(f"{where}: {column} is not text")
    if "\x00" in value:
        raise PostsInvalid(f"{where}: {column} holds a NUL character")
    return value.strip()
