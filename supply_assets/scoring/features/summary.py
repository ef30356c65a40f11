"""An extract of an article: two or three of its own sentences, never a word that it does not say (S-021)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

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


def summary(shape: TextShape, wanted: Wanted) -> str:
    """At most three sentences and 200 code points, in the order of the text; ``""`` for an empty text.

    A sentence counts by its mean word frequency in the text (two-character words, as in SumBasic), times its length
    up to 30 characters (a heading repeats the text's words and says nothing), times 1 + the distinct terms of the
    demand that it names, less with its place (1 / (1 + place / 20)). Ties go to the earlier one. A sentence more
    than half of whose words are in the extract already is passed over. A blank parts one without closing mark from
    the next. A text without a sentence of 8 … 120 characters is cut at 200.
    """
    sentences = list(dict.fromkeys(s for s in shape.sentences[:CONSIDERED] if SHORTEST <= len(s) <= LONGEST))
    if not sentences:
        return cut(" ".join(shape.lines), LIMIT)
    words = [bigrams(sentence) for sentence in sentences]
    chosen: list[int] = []
    said: set[str] = set()
    room = LIMIT
    for place in _by_weight(sentences, words, wanted):
        repeated = sum(word in said for word in words[place]) > SAID_BEFORE * len(words[place])
        if len(chosen) < SENTENCES and len(sentences[place]) < room and not repeated:
            chosen.append(place)
            said.update(words[place])
            room -= len(sentences[place]) + 1
    return "".join(_parted(sentences[place]) for place in sorted(chosen)).strip()


def _parted(sentence: str) -> str:
    return sentence if sentence.endswith(_CLOSED) else f"{sentence} "


def _by_weight(sentences: Sequence[str], words: Sequence[Sequence[str]], wanted: Wanted) -> list[int]:
    terms = [folded for term in (*wanted.terms, *wanted.expansion) if (folded := fold(term))]
    frequency = Counter(word for of_one in words for word in of_one)

    def weight(place: int) -> float:
        mean = sum(frequency[word] for word in words[place]) / len(words[place]) if words[place] else 0.0
        text = fold(sentences[place])
        named = sum(term in text for term in terms)
        told = min(1.0, len(sentences[place]) / FULL_SENTENCE)
        return float((1 + mean) * told * (1 + named) / (1 + place / 20))

    return sorted(range(len(sentences)), key=lambda place: (-weight(place), place))
