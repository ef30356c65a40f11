"""How long a text may be that is kept, compared and searched by patterns: what no title, name or article reaches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from resources.calls.foreign_text.unreadable import Unreadable

LONGEST_LINE = 4_000
LONGEST_ARTICLE = 200_000


def check_lines(fields: Mapping[str, Any], place: str) -> None:
    """Whether titles, names, links and counts are as long as such may be; ``place`` is named before the field.

    Raises:
        Unreadable: one is longer than 4,000 characters.
    """
    for name, value in fields.items():
        if isinstance(value, str) and len(value) > LONGEST_LINE:
            raise Unreadable(f"{place}.{name}: {len(value)} characters, more than {LONGEST_LINE}")


def check_article(text: str) -> None:
    """Whether the body of an article is one.

    Raises:
        Unreadable: it is longer than 200,000 characters.
    """
    if len(text) > LONGEST_ARTICLE:
        raise Unreadable(f"page: an article of {len(text)} characters, more than {LONGEST_ARTICLE}")
