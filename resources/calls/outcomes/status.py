"""What an HTTP status other than a 2xx means (S-010)."""

from __future__ import annotations

from http import HTTPStatus

from resources.calls.outcomes.answers import Code
from resources.calls.outcomes.verdicts import Verdict

_CODES = {
    401: Code.NOT_PERMITTED,
    402: Code.BUDGET_SPENT,
    403: Code.NOT_PERMITTED,
    407: Code.NOT_PERMITTED,
    408: Code.TIMEOUT,
    425: Code.SERVER_ERROR,
    429: Code.RATE_LIMITED,
}
_REFUSED = frozenset({400, 404, 405, 406, 410, 411, 412, 413, 414, 415, 416, 417, 422})
_CHALLENGES = ("captcha", "antispider", "verif", "weixin110", "security", "challenge", "passport")


def read_status(status: int, *, location: str = "", retry_after_s: float | None = None) -> Verdict:
    """The verdict of a status that is no 2xx.

    A redirect to a challenge page is a block, any other redirect a wrong shape: tools answer where they are asked.
    A status on no list says nothing that is final. 404 is a missing interface, not a missing thing (S-013a): absence is
    only ever said in a body.
    """
    if 300 <= status < 400:
        if any(mark in location.lower() for mark in _CHALLENGES):
            return Verdict(Code.BLOCKED, f"HTTP {status}: redirected to a verification page")
        return Verdict(Code.WRONG_SHAPE, f"HTTP {status}: an unexpected redirect", passing=True)
    return Verdict(_code(status), f"HTTP {status} {_phrase(status)}".rstrip(), retry_after_s)


def _code(status: int) -> Code:
    if status in _REFUSED:
        return Code.BAD_ARGUMENT
    return _CODES.get(status, Code.SERVER_ERROR)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
