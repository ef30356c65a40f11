"""The shape of a body of text: its lines, sentences and the shares of what it is written in.

Belongs here: measuring a text once, for readability, density, age-friendliness and summary alike. Does not belong
here: judging the measures. Shares and means are of the first ``SAMPLE`` code points; a longer text is not read
further, so that a megabyte costs what a long article costs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from supply_assets.normalisation.texts import display

SAMPLE = 20_000
_SENTENCE = re.compile(r"[^。！？!?；;…\n]+[。！？!?；;…]*[”’」』）)\"]*")
_CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_LEGIBLE = re.compile(r"[\w，。！？；：、“”‘’（）《》〈〉「」『』【】—…·,.!?;:'\"()\[\]%+\-/&#@~～￥$°℃*=]+")


@dataclass(frozen=True, slots=True)
class TextShape:
    """A text's parts and counts; shares are 0 … 1 of ``sampled`` characters, all 0 for a text without any.

    ``length`` is the code points of the whole text without whitespace and invisible characters; ``sentence_length``
    and ``paragraph_length`` are mean characters of a sentence and of a line.
    """

    length: int
    sampled: int
    lines: tuple[str, ...]
    sentences: tuple[str, ...]
    sentence_length: float
    paragraph_length: float
    cjk_share: float
    latin_share: float
    legible_share: float


def sentences_of(line: str) -> list[str]:
    """The sentences of one line, each with its closing marks; a line without marks is one sentence."""
    return [sentence for part in _SENTENCE.findall(line) if (sentence := part.strip())]


def text_shape(text: str) -> TextShape:
    """Measure ``text``, a line of which is a paragraph; works for any text, also none (S-021, S-026)."""
    lines = [line for raw in text[:SAMPLE].splitlines() if (line := display(raw))]
    sentences = [sentence for line in lines for sentence in sentences_of(line)]
    sample = "".join("".join(lines).split())
    return TextShape(
        length=len("".join(display(text).split())),
        sampled=len(sample),
        lines=tuple(lines),
        sentences=tuple(sentences),
        sentence_length=_mean_length(sentences),
        paragraph_length=_mean_length(lines),
        cjk_share=_share(_CJK, sample),
        latin_share=_share(_LATIN, sample),
        legible_share=_share(_LEGIBLE, sample),
    )


def bigrams(text: str) -> list[str]:
    """Adjacent pairs of Chinese characters in ``text``: words without a segmenter's dictionary."""
    return [run[at : at + 2] for run in _CJK.findall(text) for at in range(len(run) - 1)]


def scaled(value: float, nothing: float, everything: float) -> float:
    """``value`` on the line where ``nothing`` is 0 and ``everything`` is 100, cut at both; either may be the larger."""
    return 100 * min(1.0, max(0.0, (value - nothing) / (everything - nothing)))


def _mean_length(parts: Sequence[str]) -> float:
    return sum(map(len, parts)) / len(parts) if parts else 0.0


def _share(pattern: re.Pattern[str], sample: str) -> float:
    return sum(map(len, pattern.findall(sample))) / len(sample) if sample else 0.0
