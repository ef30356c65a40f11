"""The three states of an answer: found, absent, unknown (S-013a). A rate limit is never absence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Tool(StrEnum):
    """The four tools of the source."""

    SEARCH = "weixin_search"
    ACCOUNT = "fetch_weixin_account"
    ARTICLE_LIST = "fetch_account_article_list"
    ARTICLE_DETAIL = "fetch_article_detail"


class Code(StrEnum):
    """Why there is no value; the error code of events, stages and tasks."""

    TIMEOUT = "timeout"
    CONNECTION = "connection_error"
    SERVER_ERROR = "server_error"
    RATE_LIMITED = "rate_limited"
    BLOCKED = "verification_required"
    BREAKER_OPEN = "breaker_open"
    BUDGET_SPENT = "budget_spent"
    NO_PROVIDER = "no_provider"
    BAD_ARGUMENT = "bad_argument"
    NOT_PERMITTED = "not_permitted"
    WRONG_SHAPE = "wrong_shape"
    UNREADABLE = "unreadable_page"
    NOT_FOUND = "not_found"
    DELETED = "deleted_by_publisher"
    VIOLATION = "removed_for_violation"
    EXPIRED_LINK = "expired_link"
    MOVED = "account_moved"
    CLOSED = "account_closed"
    UNAVAILABLE = "temporarily_unavailable"
    BUSY = "platform_busy"
    UNKNOWN_PAGE = "unknown_page"
    SUSPICIOUS_EMPTY = "suspicious_empty"


@dataclass(frozen=True)
class Found(Generic[Value]):
    """The value, who answered, under which request id."""

    value: Value
    provider: str
    request_id: str
    raw: Any = None


@dataclass(frozen=True)
class Absent:
    """The provider says that there is no such thing: final."""

    code: Code
    message: str
    provider: str
    request_id: str
    raw: Any = None


@dataclass(frozen=True)
class Unknown:
    """Nobody could say. ``retryable``: asking later may help; otherwise the request itself was refused."""

    code: Code
    message: str
    retryable: bool
    provider: str | None
    request_id: str
    raw: Any = None


Answer = Found[Value] | Absent | Unknown
