"""A search engine's mobile article search: JSON whose items are XML texts, ten a page.

The items come from outside: a document type declaration is refused, so no entity is ever expanded or fetched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from pydantic import BaseModel, ConfigDict

from resources.calls.bodies import good_body
from resources.calls.outcomes.answers import Tool
from resources.calls.outcomes.verdicts import Reading, WrongShape
from resources.calls.provider import Dialect
from resources.calls.transport import Outgoing, Reply
from resources.tool_gateway.providers.rows import read_items
from resources.tool_gateway.results.models import SearchPage, SearchRequest

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_FIELDS = ("title", "url", "sourcename", "content168", "imglink", "date", "lastModified", "readnum", "docid")


class _Body(BaseModel):
    model_config = ConfigDict(extra="ignore")

    totalItems: int | None = None  # noqa: N815 (the vendor's spelling)
    totalPages: int  # noqa: N815
    page: int
    items: list[str]


def _ask(request: SearchRequest) -> Outgoing:
    return Outgoing("/weixinwap", {"type": "2", "query": request.keyword, "page": str(request.page)})


def _read(reply: Reply, _request: SearchRequest) -> Reading[SearchPage]:
    body = good_body(reply)
    found = _Body.model_validate(body)
    rows = [_fields(text, f"items.{number}") for number, text in enumerate(found.items)]
    page = SearchPage(
        items=read_items(rows, "items", _row),
        page=found.page,
        has_more=found.page < found.totalPages,
        total=found.totalItems,
    )
    return Reading(page, body)


def _fields(text: str, place: str) -> dict[str, str]:
    """The used elements of an item's ``display`` by name."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise WrongShape(place, "a document type declaration, which is not read")
    try:
        display = ElementTree.fromstring(_NOT_XML.sub("", text)).find("item/display")
    except ElementTree.ParseError as error:
        raise WrongShape(place, f"not XML ({error})") from error
    if display is None:
        raise WrongShape(f"{place}.item.display", "missing")
    found = {name: (display.findtext(name) or "").strip() for name in _FIELDS}
    return {name: value for name, value in found.items() if value}


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    """``lastModified`` is the time of publication in epoch seconds, ``date`` its day; ``username`` is no ``gh_`` id."""
    return {
        "title": row.get("title"),
        "url": row.get("url"),
        "digest": row.get("content168"),
        "cover_url": row.get("imglink"),
        "publish_time": row.get("lastModified") or row.get("date"),
        "account_name": row.get("sourcename"),
        "statistics": {"view_count": row.get("readnum")},
    }


SEARCH = Dialect("sogou", Tool.SEARCH, _ask, _read, Outgoing("/weixinwap", {"type": "2", "query": "微信", "page": "1"}))
