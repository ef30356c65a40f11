"""An extract of an article: two or three of its own sentences, never a word that it does not say (S-021)."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from supply_assets.normalisation.texts import cut, fold
from supply_assets.scoring.features.text_shape import TextShape, bigrams
from supply_assets.scoring.records import Wanted

LIMIT = 200
SENTENCES = 3
SHORTEST, LONGEST = 8, 120
FULL_SENTENCE = 30
CONSIDERED = 200
SAID_BEFORE = 0.5
_CLOSED = tuple('。！？!?；;…”’」』）)"')


class Sentence(NamedTuple):
    """A sentence, as terms are found in it, and its mean word frequency in the text."""

    text: str
    folded: str
    frequency: float


class Extractable(NamedTuple):
    """What an extract may be made of: distinct sentences in their order, or the start of a text without any."""

    sentences: tuple[Sentence, ...]
    start: str


def extractable(shape: TextShape) -> Extractable:
    """The part of an extract that no demand changes."""
    sentences = list(dict.fromkeys(s for s in shape.sentences[:CONSIDERED] if SHORTEST <= len(s) <= LONGEST))
    if not sentences:
        return Extractable((), cut(" ".join(shape.lines), LIMIT))
    words = [bigrams(sentence) for sentence in sentences]
    frequency = Counter(word for of_one in words for word in of_one)
    means = [sum(frequency[word] for word in of_one) / len(of_one) if of_one else 0.0 for of_one in words]
    return Extractable(tuple(Sentence(text, fold(text), mean) for text, mean in zip(sentences, means, strict=True)), "")


def summary(source: Extractable, wanted: Wanted) -> str:
    """At most three sentences and 200 code points, in the order of the text; ``""`` for an empty text.

    A sentence counts by its mean word frequency in the text (two-character words, as in SumBasic), times its length
    up to 30 characters (a heading repeats the text's words and says nothing), times 1 + the distinct terms of the
    demand that it names, less with its place (1 / (1 + place / 20)). Ties go to the earlier one. A sentence more
    than half of whose words are in the extract already is passed over. A blank parts one without closing mark from
    the next. A text without a sentence of 8 … 120 characters is cut at 200.
    """
    chosen: dict[int, str] = {}
    said: set[str] = set()
    room = LIMIT
    for place in _by_weight(source.sentences, wanted):
        text = source.sentences[place].text
        words = bigrams(text)
        repeated = sum(word in said for word in words) > SAID_BEFORE * len(words)
        if len(text) < room and not repeated:
            chosen[place] = text
            said.update(words)
            room -= len(text) + 1
        if len(chosen) == SENTENCES:
            break
    return "".join(_parted(chosen[place]) for place in sorted(chosen)).strip() or source.start


def _parted(sentence: str) -> str:
    return sentence if sentence.endswith(_CLOSED) else f"{sentence} "


def _by_weight(sentences: tuple[Sentence, ...], wanted: Wanted) -> list[int]:
    terms = [folded for term in (*wanted.terms, *wanted.expansion) if (folded := fold(term))]

    def weight(place: int) -> float:
        sentence = sentences[place]
        named = sum(term in sentence.folded for term in terms)
        told = min(1.0, len(sentence.text) / FULL_SENTENCE)
        return float((1 + sentence.frequency) * told * (1 + named) / (1 + place / 20))

    return sorted(range(len(sentences)), key=lambda place: (-weight(place), place))
