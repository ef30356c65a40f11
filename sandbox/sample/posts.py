"""Draws the posts of the sample from its vocabulary; the same seed gives the same posts.

Belongs here: which words a made-up post carries. Does not belong here: the words (``vocabulary``),
facts (``facts_sample``).
"""

from __future__ import annotations

import hashlib
import random
from typing import NamedTuple

from sandbox.sample.vocabulary import FORMS, INTENTS, STORYLINES, USUAL_INTENTS, Storyline

POST_COUNT = 308
KEY_POINT, INSPIRATION, PURPOSE = "关键点", "灵感点", "目的点"
_CORE_SHARE = 0.85


class Word(NamedTuple):
    """A word of a post: what it is, its category path, and the type of point it makes."""

    name: str
    path: str
    point_type: str


class SamplePost(NamedTuple):
    """A made-up post; ``path`` is its subject category."""

    id: str
    title: str
    path: str
    words: tuple[Word, ...]


def draw_posts(seed: int) -> list[SamplePost]:
    """The sample's posts, storylines in turn, each with its own id (md5 as hexadecimal digits)."""
    source = random.Random(seed)
    return [_draw(source, STORYLINES[number % len(STORYLINES)], f"{seed}/{number}") for number in range(POST_COUNT)]


def _draw(source: random.Random, story: Storyline, number: str) -> SamplePost:
    core = [word for word in story.core if source.random() < _CORE_SHARE] or [story.core[0]]
    optional = source.sample(story.optional, source.choice((1, 2, 2)))
    title = source.choice(story.titles).format(optional[0])
    subject = story.path.split("/")[2]
    intent_path = source.choices([*USUAL_INTENTS[subject], source.choice(INTENTS)[0]], weights=(5, 2, 1))[0]
    form_path, form_words = source.choice(FORMS)
    words = [
        *(Word(name, story.path, KEY_POINT) for name in core),
        *(Word(name, story.path, INSPIRATION) for name in optional),
        Word(source.choice(dict(INTENTS)[intent_path]), intent_path, PURPOSE),
        Word(source.choice(form_words), form_path, INSPIRATION),
    ]
    post_id = hashlib.md5(f"pattern2plan sample {number} {title}".encode(), usedforsecurity=False).hexdigest()
    return SamplePost(post_id, title, story.path, tuple(words))
