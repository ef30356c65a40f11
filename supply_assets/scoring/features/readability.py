"""How easy a body is to read, how much it says, how well it suits older readers: three scores of 0 … 100 (S-021).

Belongs here: the formulas over a text's shape. Does not belong here: risk, the title's words, the network. A text
without a legible character scores 0 in readability and density.
"""

from __future__ import annotations

import re
import zlib

from supply_assets.normalisation.texts import fold
from supply_assets.scoring.features.text_shape import TextShape, bigrams, scaled
from supply_assets.scoring.parts import clamp
from supply_assets.scoring.terms.lexicon import ELDER_TOPICS, found_folded

WINDOW = 500
ENOUGH_TEXT = 300
_FACT = re.compile(
    r"\d+(?:[.,:]\d+)*\s*[%％年月日号元万亿个人次岁度克米时分]?|《[^《》]{1,40}》|[A-Z]{2,8}\b|“[^“”]{2,12}”"
)


def readability_score(shape: TextShape) -> float:
    """Form times legibility, 0 … 100.

    Form is 0.6 of the mean sentence length (100 up to 25 characters, 0 from 120) and 0.4 of the mean paragraph
    length (100 up to 150, 0 from 900). Legibility is the share of letters, digits and punctuation (0.6 is none, 0.95
    is all) times the share of Chinese characters (0 is none, 0.5 is all): garbage and foreign text do not read well
    however short their lines are.
    """
    if not shape.sampled:
        return 0.0
    form = 0.6 * scaled(shape.sentence_length, 120, 25) + 0.4 * scaled(shape.paragraph_length, 900, 150)
    return clamp(form * scaled(shape.legible_share, 0.6, 0.95) / 100 * scaled(shape.cjk_share, 0, 0.5) / 100)


def information_density_score(shape: TextShape) -> float:
    """What a text says per character, 0 … 100.

    0.4 lexical diversity (distinct two-character words of all, mean over windows of 500 characters: 0.5 is 0, 0.9 is
    100), 0.3 novelty (bytes after DEFLATE over bytes before: 0.1 is 0, 0.45 is 100; repetition compresses), 0.3 facts
    (numbers, dates, titles, quoted names, abbreviations per 1,000 characters: 15 is 100); all times
    length / 300 up to 1, because a line or two says little however dense it is.
    """
    if not shape.sampled:
        return 0.0
    body = "\n".join(shape.lines)
    enough = min(1.0, shape.sampled / ENOUGH_TEXT)
    facts = scaled(1000 * len(_FACT.findall(body)) / shape.sampled, 0, 15)
    return clamp(enough * (0.4 * _diversity(body) + 0.3 * _novelty(body) + 0.3 * facts))


def elder_friendly_score(title: str, shape: TextShape, image_count: int, video_count: int) -> float:
    """How well an article suits older readers, 0 … 100.

    0.35 short sentences (mean of 20 characters or less is 100, 70 is 0), 0.30 topics of their lives (each distinct
    word of ``ELDER_TOPICS`` in the text halves what is missing, one in the title counts as two), 0.20 little foreign
    script (no Latin letters is 100, a share of 0.15 is 0), 0.15 pictures (2 per 1,000 characters is 100; a video
    counts as two). Without text only topics of the title and pictures are left.
    """
    in_title = set(found_folded(fold(title), ELDER_TOPICS))
    in_text = set(found_folded(fold(" ".join(shape.lines)), ELDER_TOPICS))
    topics = 100 * (1 - 0.5 ** (len(in_text - in_title) + 2 * len(in_title)))
    shown = image_count + 2 * video_count
    pictures = scaled(1000 * shown / max(shape.length, 500), 0, 2)
    score = 0.30 * topics + 0.15 * pictures
    if shape.sampled:
        score += 0.35 * scaled(shape.sentence_length, 70, 20) + 0.20 * scaled(shape.latin_share, 0.15, 0)
    return clamp(score)


def _diversity(body: str) -> float:
    words = bigrams(body)
    if not words:
        return 0.0
    windows = [words[at : at + WINDOW] for at in range(0, len(words), WINDOW)]
    shares = [len(set(window)) / len(window) for window in windows if len(window) == WINDOW or len(windows) == 1]
    return scaled(sum(shares) / len(shares), 0.5, 0.9)


def _novelty(body: str) -> float:
    raw = body.encode("utf-8", "ignore")
    return scaled(len(zlib.compress(raw, 6)) / len(raw), 0.1, 0.45)
