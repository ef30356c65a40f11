"""The dialect of the platform's own back office: an account by its name, an account's history by its ``biz``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Json

from resources.calls.bodies import good_body
from resources.calls.foreign_text.text_bounds import check_lines
from resources.calls.outcomes.answers import Code, Tool
from resources.calls.outcomes.verdicts import Reading, Verdict
from resources.calls.provider import Dialect, validated
from resources.calls.transport import Outgoing, Reply
from resources.tool_gateway.providers.rows import read_items
from resources.tool_gateway.results.models import AccountInfo, AccountRequest, ArticleList, ArticleListRequest

SEARCHED_ACCOUNTS = 5


class _Shape(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Ended(_Shape):
    ret: int


class _Account(_Shape):
    fakeid: str
    nickname: str
    alias: str | None = None
    signature: str | None = None


class _Accounts(_Shape):
    base_resp: _Ended
    list: list[_Account]


class _Sent(_Shape):
    time: int | None = None


class _Info(_Shape):
    sent_info: _Sent = _Sent()
    appmsgex: list[dict[str, Any]]


class _Publish(_Shape):
    publish_info: Json[_Info] | None = None


class _Published(_Shape):
    total_count: int
    publish_list: list[dict[str, Any]]


class _History(_Shape):
    base_resp: _Ended
    publish_page: Json[_Published]


def _ask_account(request: AccountRequest) -> Outgoing | None:
    """Only a name can be searched for."""
    if not request.account_name:
        return None
    part = {"begin": "0", "count": str(SEARCHED_ACCOUNTS)}
    return Outgoing("/cgi-bin/searchbiz", {"action": "search_biz", "query": request.account_name, **part})


def _read_account(reply: Reply, request: AccountRequest) -> Reading[AccountInfo]:
    """The account of exactly that name (and ``biz``, where it is known); the search answers similar ones as well."""
    body = good_body(reply)
    for account in _Accounts.model_validate(body).list:
        is_named = request.account_name in (account.nickname, account.alias)
        if is_named and request.biz in (None, "", account.fakeid):
            row = account.model_dump(exclude_none=True)
            check_lines(row, "list")
            info = AccountInfo(
                account_name=account.nickname, biz=account.fakeid, intro=account.signature or None, raw=row
            )
            return Reading(info, body)
    return Reading(Verdict(Code.NOT_FOUND, "the search knows no account of exactly that name"), body)


def _ask_list(request: ArticleListRequest) -> Outgoing | None:
    """Only a ``biz`` names an account here; the cursor counts messages, each of one to eight articles."""
    if not request.biz:
        return None
    params = {"sub": "list", "fakeid": request.biz, "begin": str(request.cursor), "count": str(request.count)}
    return Outgoing("/cgi-bin/appmsgpublish", params)


def _read_list(reply: Reply, request: ArticleListRequest) -> Reading[ArticleList]:
    body = good_body(reply)
    page = _History.model_validate(body).publish_page
    items = []
    for number, publish in enumerate(page.publish_list):
        place = f"publish_page.publish_list.{number}"
        filled = {name: value for name, value in publish.items() if value}
        info = validated(_Publish, filled, place).publish_info
        if info is not None:
            rows = f"{place}.publish_info.appmsgex"
            items += read_items(info.appmsgex, rows, _reader(request.biz, info.sent_info.time))
    end = request.cursor + len(page.publish_list)
    has_more = bool(page.publish_list) and end < page.total_count
    return Reading(ArticleList(items=items, next_cursor=end if has_more else None), body)


def _reader(biz: str | None, sent_at: int | None) -> Any:
    def read(row: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "title": row.get("title"),
            "url": row.get("link"),
            "digest": row.get("digest"),
            "cover_url": row.get("cover"),
            "publish_time": sent_at or row.get("create_time") or row.get("update_time"),
            "biz": biz,
            "is_deleted": row.get("is_deleted"),
        }

    return read


_PROBE = Outgoing("/cgi-bin/searchbiz", {"action": "search_biz", "query": "微信", "begin": "0", "count": "1"})

ACCOUNT = Dialect("mp", Tool.ACCOUNT, _ask_account, _read_account, _PROBE)
ARTICLE_LIST = Dialect("mp", Tool.ARTICLE_LIST, _ask_list, _read_list, _PROBE)
