"""Pages from templates: everything escaped, headers that let nothing else in, one style sheet."""

from __future__ import annotations

from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from resources.clock import SHANGHAI
from supply_assets.review_desk.wording import Language, language_of, words

LANGUAGE = "pattern2plan_language"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_TEMPLATES = Environment(
    loader=PackageLoader("supply_assets.review_desk", "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def language(request: Request) -> Language:
    """The language a request is answered in."""
    accepted = request.headers.get("accept-language", "")
    return language_of(request.query_params.get("lang"), request.cookies.get(LANGUAGE), accepted)


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page, with the language that was asked for kept in a cookie."""
    spoken = language(request)
    content = _TEMPLATES.get_template(template).render(
        w=words(spoken), lang=spoken, other="zh" if spoken == "en" else "en", safe_link=safe_link, local=local, **values
    )
    response = HTMLResponse(content, status, HEADERS)
    if request.query_params.get("lang") == spoken:
        response.set_cookie(LANGUAGE, spoken, samesite="strict", httponly=True, max_age=365 * 86_400)
    return response


def style_sheet(_: Request) -> Response:
    """The only thing a page loads."""
    text = files("supply_assets.review_desk").joinpath("desk.css").read_text(encoding="utf-8")
    return Response(text, media_type="text/css", headers=HEADERS | {"Cache-Control": "max-age=300"})


def safe_link(url: str) -> str | None:
    """The link where it is one a browser may follow from here, else ``None``."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.scheme in ("http", "https") and parts.hostname else None


def local(instant: Any) -> str:
    """An instant as people here read it."""
    return f"{instant.astimezone(SHANGHAI):%Y-%m-%d %H:%M}" if instant is not None else ""
