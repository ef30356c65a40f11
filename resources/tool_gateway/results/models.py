"""What the tools are asked and what they answer: tolerant of added fields, strict on what is used (S-013).

Counts and times are handed on as they came; ``supply_assets.normalisation`` reads them.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

NonBlank = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
RawCount = int | float | str | None
RawTime = int | float | str | None


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class SearchRequest(_Request):
    """One page of a search; pages count from 1."""

    keyword: NonBlank
    page: Annotated[int, Field(ge=1)] = 1
    page_size: Annotated[int, Field(ge=1, le=50)] = 20


class AccountRequest(_Request):
    """An account by whatever is known of it; at least one of the three."""

    account_id: str | None = None
    biz: str | None = None
    account_name: str | None = None


class ArticleListRequest(_Request):
    """The latest articles of an account, ``count`` from ``cursor`` on."""

    account_id: str | None = None
    biz: str | None = None
    cursor: Annotated[int, Field(ge=0)] = 0
    count: Annotated[int, Field(ge=1, le=50)] = 20


class ArticleDetailRequest(_Request):
    """An article by its link."""

    url: NonBlank


class Statistics(_Answer):
    """Counts as the platform wrote them: a number, ``10万+``, or nothing."""

    view_count: RawCount = None
    like_count: RawCount = None
    comment_count: RawCount = None
    favorite_count: RawCount = None
    share_count: RawCount = None


class SearchItem(_Answer):
    """An article of a search page or of an account's history; ``raw`` is the item as it came."""

    title: str
    url: NonBlank
    digest: str | None = None
    cover_url: str | None = None
    publish_time: RawTime = None
    account_id: str | None = None
    account_name: str | None = None
    biz: str | None = None
    is_deleted: bool = False
    statistics: Statistics = Statistics()
    raw: dict[str, Any] = Field(default_factory=dict)


class SearchPage(_Answer):
    """A page of a search; ``total`` is what the platform claims."""

    items: list[SearchItem]
    page: int
    has_more: bool
    total: int | None = None

    def summary(self) -> dict[str, Any]:
        """What an event says of it."""
        return {"items": len(self.items), "page": self.page, "has_more": self.has_more, "total": self.total}


class AccountInfo(_Answer):
    """An account; ``account_id`` is the ``gh_…`` id where the provider knows it."""

    account_id: str | None = None
    account_name: str | None = None
    biz: str | None = None
    intro: str | None = None
    verify_status: Annotated[int, Field(ge=0, le=127)] | None = None
    category: str | None = None
    raw: dict[str, Any] = Field(default_factory=dict)

    def summary(self) -> dict[str, Any]:
        """What an event says of it."""
        return {"account_id": self.account_id, "account_name": self.account_name, "biz": self.biz}


class ArticleList(_Answer):
    """A part of an account's history; ``next_cursor`` is ``None`` at its end."""

    items: list[SearchItem]
    next_cursor: int | None = None
    total: int | None = None

    def summary(self) -> dict[str, Any]:
        """What an event says of it."""
        return {"items": len(self.items), "next_cursor": self.next_cursor}


class ArticleDetail(_Answer):
    """An article read out of its page; ``text`` is the body with one line a paragraph.

    ``canonical_url`` and the four ids are what the page says of itself; ``None`` where it says nothing. ``kind`` is
    what the platform calls the post: article, pictures, audio, video, text, or ``type_N`` of a number on no list.
    ``body_is_invented`` is the sandbox's word that it wrote the body: nothing measured of it is about a real article.
    """

    url: str
    title: str
    text: str
    canonical_url: str | None = None
    biz: str | None = None
    mid: str | None = None
    idx: str | None = None
    sn: str | None = None
    account_id: str | None = None
    account_name: str | None = None
    author: str | None = None
    publish_time: RawTime = None
    kind: str = "article"
    image_count: Annotated[int, Field(ge=0)] = 0
    audio_count: Annotated[int, Field(ge=0)] = 0
    video_count: Annotated[int, Field(ge=0)] = 0
    has_source_reference: bool = False
    body_is_invented: bool = False
    html_bytes: Annotated[int, Field(ge=0)] = 0

    def summary(self) -> dict[str, Any]:
        """What an event says of it."""
        return {"title": self.title, "kind": self.kind, "characters": len(self.text), "html_bytes": self.html_bytes}
