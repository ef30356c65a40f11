"""The dialect of the public platform's own back office: ``searchbiz`` and ``appmsgpublish``.

Belongs here: these two answers, JSON inside JSON included. Does not belong here: faults, look-ups.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

from starlette.responses import Response

from resources.foundation import strict_json
from sandbox.platform.corpus.articles import Article
from sandbox.platform.corpus.catalogue import Catalogue
from sandbox.platform.dialects.house import cover_of
from sandbox.platform.serving.endpoints import FREQUENCY, ApiRequest, Dialect, json_response, required, whole_number
from sandbox.platform.serving.paging import cut_page

INVALID_ARGUMENTS = 200002
_MAX_PAGE = 50


class MpTools(Dialect):
    """Accounts by name and what an account published; refusals as ``base_resp.ret``."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def error(self, code: int, message: str) -> Response:
        return json_response({"base_resp": {"ret": code, "err_msg": message}})

    def refused(self, message: str) -> Response:
        return self.error(INVALID_ARGUMENTS, f"invalid args: {message}")

    def frequency(self) -> Response:
        return self.error(FREQUENCY, "freq control")

    def search_biz(self, request: ApiRequest) -> Response:
        """``query`` (a name or a part of one), ``begin`` from 0, ``count`` of 1 … 50."""
        begin, count = _window(request, 5)
        found = self._catalogue.accounts_named(required(request, "query"))
        listed = [
            {
                "fakeid": account.biz,
                "nickname": account.name,
                "alias": account.account_id.removeprefix("gh_"),
                "round_head_img": "",
                "service_type": 1,
                "signature": account.intro,
            }
            for account in found[begin : begin + count]
        ]
        return json_response({"base_resp": {"ret": 0, "err_msg": "ok"}, "list": listed, "total": len(found)})

    def published(self, request: ApiRequest) -> Response:
        """``fakeid``, ``begin`` from 0, ``count`` of 1 … 50; counted in messages, each of one article or several."""
        begin, count = _window(request, 20)
        history = self._catalogue.history(required(request, "fakeid"))
        messages = [list(part) for _, part in groupby(history, key=lambda at: self._catalogue.articles[at].mid)]
        page = cut_page(range(len(messages)), begin, count, request.alterations)
        shown = [self._message(messages[at]) for at, _ in page.entries]
        content = {
            "total_count": len(messages),
            "publish_count": len(messages),
            "masssend_count": len(messages),
            "featured_count": 0,
            "publish_list": shown,
        }
        answer = {"base_resp": {"ret": 0, "err_msg": "ok"}, "is_admin": False}
        return json_response(answer | {"publish_page": strict_json.dumps(content)})

    def _message(self, positions: list[int]) -> dict[str, Any]:
        articles = [self._catalogue.articles[position] for position in positions]
        first = articles[0]
        info = {
            "type": 9,
            "msgid": int(first.mid or 0),
            "sent_info": {"time": first.published, "func_flag": 0, "is_send_all": True, "is_published": 1},
            "appmsgex": [_entry(article) for article in articles],
        }
        return {"publish_type": 101, "publish_info": strict_json.dumps(info)}


def _window(request: ApiRequest, usual: int) -> tuple[int, int]:
    begin = whole_number(request, "begin", 0)
    return begin, whole_number(request, "count", usual, least=1, most=_MAX_PAGE)


def _entry(article: Article) -> dict[str, Any]:
    return {
        "aid": f"{article.mid}_{article.idx}",
        "appmsgid": int(article.mid or 0),
        "itemidx": int(article.idx or 1),
        "title": article.title,
        "link": article.page_link,
        "digest": article.digest or "",
        "cover": cover_of(article),
        "author_name": article.author,
        "create_time": article.published,
        "update_time": article.published,
        "copyright_stat": 1,
        "copyright_type": 0,
        "item_show_type": 0,
        "is_deleted": article.flagged,
        "is_pay_subscribe": 0,
        "album_id": "0",
        "appmsg_album_infos": [],
        "media_duration": "0:00",
    }
