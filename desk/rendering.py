"""Pages from templates: everything escaped, headers that let nothing else in, one style sheet."""

from __future__ import annotations

from datetime import datetime
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from desk.wording import Language, language_of, words
from resources.foundation.clock import SHANGHAI

LANGUAGE = "pattern2plan_language"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: under it a browser sends our own forms with the origin "null".
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_TEMPLATES = Environment(
    loader=PackageLoader("desk", "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


class SecurityHeaders:
    """Puts the headers on every answer, a redirect and a refused host as well."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_safely)


def language(request: Request) -> Language:
    """The language a request is answered in."""
    accepted = request.headers.get("accept-language", "")
    return language_of(request.query_params.get("lang"), request.cookies.get(LANGUAGE), accepted)


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page, with the language that was asked for kept in a cookie."""
    spoken = language(request)
    other: Language = "zh" if spoken == "en" else "en"
    content = _TEMPLATES.get_template(template).render(
        w=words(spoken),
        lang=spoken,
        other=other,
        other_page=_in_language(request, other),
        safe_link=safe_link,
        local=local,
        **values,
    )
    response = HTMLResponse(content, status, HEADERS)
    if request.query_params.get("lang") == spoken:
        response.set_cookie(LANGUAGE, spoken, samesite="strict", httponly=True, max_age=365 * 86_400)
    return response


def _in_language(request: Request, spoken: Language) -> str:
    """The same page in a language; what a form led to is no page to come back to."""
    if request.method == "POST":
        return f"/?lang={spoken}"
    kept = [(name, value) for name, value in request.query_params.multi_items() if name not in ("lang", "done")]
    return f"?{urlencode([*kept, ('lang', spoken)])}"


def style_sheet(_: Request) -> Response:
    """The only thing a page loads."""
    text = files("desk").joinpath("desk.css").read_text(encoding="utf-8")
    return Response(text, media_type="text/css", headers=HEADERS | {"Cache-Control": "max-age=300"})


def safe_link(url: str) -> str | None:
    """The link where it is one a browser may follow from here, else ``None``."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.scheme in ("http", "https") and parts.hostname else None


def local(instant: datetime | str | None) -> str:
    """An instant as people here read it; a text that is none stays as it is."""
    if instant is None:
        return ""
    try:
        read = datetime.fromisoformat(instant) if isinstance(instant, str) else instant
    except ValueError:
        return str(instant)
    return f"{read.astimezone(SHANGHAI):%Y-%m-%d %H:%M}"
