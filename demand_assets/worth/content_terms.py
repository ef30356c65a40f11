"""Which terms name something one could search for (D-080): the list beside this module, and three rules."""

from __future__ import annotations

import tomllib
import unicodedata
from functools import cache
from pathlib import Path

from demand_assets.evidence.terms import normal_form

_LIST = Path(__file__).with_name("content_terms.toml")


def is_content_term(term: str) -> bool:
    """Whether a term may be chosen: at least two letters, no number, and on no list in normal form."""
    form = normal_form(term)
    letters = [character for character in form if unicodedata.category(character).startswith("L")]
    return len(letters) > 1 and not _is_numeral(letters) and form not in empty_words()


@cache
def empty_words() -> frozenset[str]:
    """The words of all groups of the list, in normal form."""
    groups = tomllib.loads(_LIST.read_text(encoding="utf-8")).values()
    return frozenset(normal_form(word) for group in groups for word in group.split())


def _is_numeral(letters: list[str]) -> bool:
    """Chinese numerals are letters: 三百, 二〇一八."""
    return all(unicodedata.numeric(letter, None) is not None for letter in letters)
