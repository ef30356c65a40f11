"""A corpus from a folder of captured public data: article lists, counts, full texts, accounts.

Belongs here: reading ``article_lists.parquet``, ``articles_with_counts.jsonl``, ``full_text.jsonl`` and
``accounts.tsv``. Does not belong here: made-up articles (``generated``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from resources.foundation import strict_json
from resources.foundation.errors import UsageError, one_line
from sandbox.facts.table_bounds import check_parquet, check_text_file
from sandbox.platform.corpus.articles import (
    Account,
    Article,
    Counts,
    ListedCorpus,
    account_id_of,
    digest_of,
    epoch_of_shanghai_text,
)
from sandbox.platform.corpus.links import read_link

LISTS, COUNTED, FULL_TEXT, ACCOUNTS = (
    "article_lists.parquet",
    "articles_with_counts.jsonl",
    "full_text.jsonl",
    "accounts.tsv",
)
CAPPED_VIEWS = 100_001
SHOWN_CAP = "10万+"
_COLUMNS = ("url", "title", "account_name", "biz", "publish_time", "digest", "idx")


class CorpusInvalid(UsageError):
    """A folder is not a corpus; the message names the file and what it lacks."""


def folder_corpus(folder: Path) -> ListedCorpus:
    """The articles of the folder's three files, those with counts and texts first; each link once.

    Raises:
        CorpusInvalid: a file is missing or unreadable, or a row has no url or title.
    """
    missing = [name for name in (LISTS, COUNTED, FULL_TEXT, ACCOUNTS) if not (folder / name).is_file()]
    if missing:
        raise CorpusInvalid(
            f"corpus folder {folder} has no {', '.join(missing)}",
            f"a corpus is {LISTS}, {COUNTED}, {FULL_TEXT} and {ACCOUNTS}",
        )
    accounts = {account.biz: account for account in _listed_accounts(folder / ACCOUNTS)}
    articles: dict[str, Article] = {}
    rows = (_json_rows(folder / COUNTED), _json_rows(folder / FULL_TEXT), _parquet_rows(folder / LISTS))
    for name, part in zip((COUNTED, FULL_TEXT, LISTS), rows, strict=True):
        for number, row in enumerate(part, 1):
            article = _article(row)
            if article is None:
                raise CorpusInvalid(f"{folder / name}, row {number} has no url or no title")
            articles.setdefault(article.link, article)
            if article.biz not in accounts:
                accounts[article.biz] = _account(article.biz, row.get("account_name") or article.biz)
    return ListedCorpus(list(articles.values()), list(accounts.values()))


def _json_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        check_text_file(path)
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    row = strict_json.loads(line)
                except strict_json.JsonRefused as error:
                    raise CorpusInvalid(f"{path}, line {number}: {error.message}") from error
                if not isinstance(row, dict):
                    raise CorpusInvalid(f"{path}, line {number} is not a JSON object")
                yield row
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusInvalid(f"{path} could not be read: {one_line(error)}") from error


def _parquet_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        check_parquet(pq.ParquetFile(path), path)
        frame = pq.read_table(path, columns=list(_COLUMNS)).to_pandas()
    except (pa.ArrowException, OSError) as error:
        raise CorpusInvalid(f"{path} is not Parquet with {', '.join(_COLUMNS)}: {one_line(error)}") from error
    columns = [frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in _COLUMNS]
    return (dict(zip(_COLUMNS, values, strict=True)) for values in zip(*columns, strict=True))


def _listed_accounts(path: Path) -> Iterable[Account]:
    try:
        frame = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, usecols=["account_name", "biz"])
    except (OSError, ValueError) as error:
        raise CorpusInvalid(f"{path} is not a table with account_name and biz: {one_line(error)}") from error
    return [_account(biz, name) for biz, name in zip(frame["biz"], frame["account_name"], strict=True) if biz]


def _account(biz: str, name: str) -> Account:
    return Account(account_id_of(biz), biz, name, intro=f"{name}的公众号")


def _article(row: Mapping[str, Any]) -> Article | None:
    link, title = row.get("url"), row.get("title")
    if not isinstance(link, str) or not link.strip() or not isinstance(title, str):
        return None
    ids = _ids(link)
    shown = row.get("publish_time")
    name = row.get("account_name") or ""
    return Article(
        title=title,
        digest=row.get("digest"),
        biz=row.get("biz") or ids.get("__biz") or f"unknown-{digest_of(name, 12)}",
        mid=ids.get("mid", ""),
        idx=ids.get("idx", ""),
        sn=ids.get("sn", ""),
        published=epoch_of_shanghai_text(shown),
        shown_time=shown,
        link=link,
        page_link=link,
        counts=_counts(row),
        author=name,
        text=row.get("content"),
    )


def _ids(link: str) -> dict[str, str]:
    """The ids of a plain long link; links of another form are read the slow way."""
    _, _, query = link.partition("?")
    ids = dict(part.partition("=")[::2] for part in query.partition("#")[0].split("&"))
    if "mid" in ids or not query:
        return ids
    biz, mid, idx = read_link(link).article or ("", "", "")
    return {"__biz": biz, "mid": mid, "idx": idx}


def _counts(row: Mapping[str, Any]) -> Counts:
    view = row.get("view_count")
    return Counts(
        view=SHOWN_CAP if view == CAPPED_VIEWS else view,
        like=row.get("like_count"),
        comment=row.get("comment_count"),
        favorite=row.get("looking_count"),
    )
