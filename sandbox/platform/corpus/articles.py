"""The records that the platform sandbox serves: articles, accounts, and what a corpus of them is.

Belongs here: plain values and the ids that follow from them. Does not belong here: where they come from
(``generated``, ``folder``), how they are found (``catalogue``, ``index``), how they are shown (``pages``, dialects).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, Protocol
from zoneinfo import ZoneInfo

_SHANGHAI = ZoneInfo("Asia/Shanghai")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

CAP_SHOWN = 100_000
"""Views beyond this are not told apart."""
RawCount = int | str | None
"""A count as a platform writes it: a number, ``10万+``, or nothing."""


class ArticleState(StrEnum):
    """What the article's page says today."""

    PUBLISHED = "published"
    DELETED = "deleted"
    VIOLATION = "violation"
    UNAVAILABLE = "unavailable"


class Tone(StrEnum):
    """How an article is written."""

    PLAIN = "plain"
    CLICKBAIT = "clickbait"
    MARKETING = "marketing"
    QUOTING = "quoting"


class Counts(NamedTuple):
    """Counts of an article as they are shown; ``None``: not shown."""

    view: RawCount = None
    like: RawCount = None
    comment: RawCount = None
    favorite: RawCount = None
    share: RawCount = None


class Article(NamedTuple):
    """An article; ``published`` is epoch seconds (0: unknown), ``shown_time`` what an answer says.

    ``link`` is the link that a search lists, ``page_link`` the lasting one; ``expired``: a temporary ``link`` no
    longer works. ``flagged``: answers say that it is deleted. ``source`` is the position of the article that this
    one reposts. ``text`` is the body where the corpus knows it, one paragraph a line; else one is written about
    ``subjects`` (two words and a topic) in the ``tone``.
    """

    title: str
    digest: str | None
    biz: str
    mid: str
    idx: str
    sn: str
    published: int
    shown_time: int | str | None
    link: str
    page_link: str
    counts: Counts = Counts()
    state: ArticleState = ArticleState.PUBLISHED
    flagged: bool = False
    author: str = ""
    source: int | None = None
    text: str | None = None
    expired: bool = False
    tone: Tone = Tone.PLAIN
    subjects: tuple[str, str, str] | None = None


class Account(NamedTuple):
    """An account; ``account_id`` is its ``gh_…`` id, ``verified`` 0 or 1."""

    account_id: str
    biz: str
    name: str
    intro: str = ""
    verified: int = 1
    category: str = ""


class Corpus(Protocol):
    """What the sandbox serves; every article's ``biz`` is an account's."""

    @property
    def articles(self) -> Sequence[Article]: ...

    @property
    def accounts(self) -> Sequence[Account]: ...


class ListedCorpus(NamedTuple):
    """A corpus that is held in memory."""

    articles: Sequence[Article]
    accounts: Sequence[Account]


def digest_of(text: str, length: int = 32) -> str:
    """Hexadecimal digits that follow from ``text`` alone."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()[:length]


def account_id_of(biz: str) -> str:
    """The ``gh_…`` id that the sandbox gives an account of which only ``__biz`` is known."""
    return f"gh_{digest_of(f'account {biz}', 12)}"


def long_link(biz: str, mid: str, idx: str, sn: str) -> str:
    """The plain lasting link of an article."""
    return f"https://mp.weixin.qq.com/s?__biz={biz}&mid={mid}&idx={idx}&sn={sn}"


def shanghai_time(epoch_s: int) -> datetime:
    """The wall clock that the platform shows for an instant."""
    return (_EPOCH + timedelta(seconds=epoch_s)).astimezone(_SHANGHAI)


@lru_cache(maxsize=65_536)
def epoch_of_shanghai_text(text: str | None) -> int:
    """Epoch seconds of ``yyyy-mm-dd[ hh:mm[:ss]]`` in Asia/Shanghai; 0 where it is no such text."""
    try:
        return int(datetime.fromisoformat((text or "").strip()).replace(tzinfo=_SHANGHAI).timestamp())
    except ValueError:
        return 0
