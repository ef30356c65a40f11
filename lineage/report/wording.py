"""The sentences of the page in English and Chinese, which stand in ``wording.toml``.

A text is a format string; what is put into it is escaped by the page, never here.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import NamedTuple


class BilingualText(NamedTuple):
    """One text in both languages."""

    en: str
    zh: str

    def filled(self, **values: str) -> BilingualText:
        """With its gaps filled; ``{rows_s}`` is the plural's letter of ``{rows}``."""
        plurals = {f"{name}_s": "" if value == "1" else "s" for name, value in values.items()}
        return BilingualText(self.en.format(**values, **plurals), self.zh.format(**values))


_FILE = files("lineage.report").joinpath("wording.toml")
TEXTS = {name: BilingualText(**texts) for name, texts in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()}


def text(name: str, **values: str) -> BilingualText:
    """A text with its gaps filled.

    Raises:
        KeyError: the page asks for a text that is not here.
    """
    return TEXTS[name].filled(**values)


def reason_text(reason: str) -> BilingualText | None:
    """What a filter's own name means: ``unavailable:detail_missing`` by its last part; ``None`` where not known."""
    return TEXTS.get(f"r_{reason.rpartition(':')[2]}")
