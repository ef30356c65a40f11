"""The words of the sample, as ``vocabulary.toml`` beside this module has them.

Belongs here: what kinds of words there are. Does not belong here: the words, how posts are drawn from them (``posts``).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple


class Storyline(NamedTuple):
    """A kind of post: words nearly all have, words some have, and titles with a gap for one of the latter."""

    path: str
    core: Sequence[str]
    optional: Sequence[str]
    titles: Sequence[str]


_WORDS: Mapping[str, Any] = tomllib.loads(files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8"))

STORYLINES = tuple(Storyline(**story) for story in _WORDS["storylines"])
INTENTS: tuple[tuple[str, Sequence[str]], ...] = tuple(_WORDS["intents"].items())
FORMS: tuple[tuple[str, Sequence[str]], ...] = tuple(_WORDS["forms"].items())
USUAL_INTENTS: Mapping[str, Sequence[str]] = _WORDS["usual_intents"]
"""Why posts on a subject (second level under 实质) are mostly read."""
