"""The words of the desk in English and Chinese, which stand in ``wording.toml``, and who is answered in which."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Literal

Language = Literal["en", "zh"]
_FILE = files("desk").joinpath("wording.toml")
_WORDS: dict[str, dict[Language, str]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))


def words(language: Language) -> Mapping[str, str]:
    """The words of one language."""
    return {name: both[language] for name, both in _WORDS.items()}


def language_of(asked: str | None, kept: str | None, accepted: str) -> Language:
    """What was asked for, else what was kept, else what the browser prefers."""
    for said in (asked, kept):
        if said == "en":
            return "en"
        if said == "zh":
            return "zh"
    return "zh" if accepted.strip().lower().startswith("zh") else "en"
