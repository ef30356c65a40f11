"""The quality part of a total: is the article well made (S-023).

Belongs here: the formula. Does not belong here: relevance, popularity, filters.
"""

from __future__ import annotations

import math
import re

from supply_assets.normalisation.texts import fold
from supply_assets.scoring.features.risk import risk
from supply_assets.scoring.features.text_shape import scaled
from supply_assets.scoring.parts import Part, clamp
from supply_assets.scoring.ranking.title_penalty import JudgedTitle, judge_title
from supply_assets.scoring.records import ContentFeatures, PoolArticle

FULL_LENGTH = 1500
RISK_SHARE = 0.5
MEDIA_LENGTH, MEDIA_BASE = 80, 45.0
ESTIMATED_BASE, ESTIMATED_BONUS = 45.0, 5.0
TITLE_LENGTHS = range(8, 41)
DIGEST_LENGTH = 15
_NUMBER = re.compile(r"\d")


def quality_score(article: PoolArticle) -> Part:
    """0 … 100, never raised by a clickbait word in the title or by more risk (S-026).

    With content features: 0.35 readability + 0.35 information density + 0.20 length (log scale, 1,500 characters are
    full) + 0.10 source reference, less half the risk score, less the title's penalty (0 … 40). An article of under 80
    characters that shows pictures or a video says little in text: its base is 45 instead, marked ``media``.

    Without them, marked ``estimated``: 45, and 5 each for a title of 8 … 40 characters, a number in the title and a
    digest of at least 15 characters, less half the digest's risk, less the title's penalty.
    """
    title = judge_title(article.title)
    if article.content is None:
        return _estimated(article, title)
    content = article.content
    media = content.content_length < MEDIA_LENGTH and content.image_count + content.video_count > 0
    base = MEDIA_BASE if media else _made(content)
    return Part(
        clamp(base - RISK_SHARE * content.risk_score - title.penalty),
        {
            "estimated": False,
            "media": media,
            "base": round(base, 2),
            "readability": content.readability_score,
            "information_density": content.information_density_score,
            "content_length": content.content_length,
            "has_source_reference": content.has_source_reference,
            "risk": content.risk_score,
            "clickbait": title.grade.value,
            "title_penalty": title.penalty,
        },
    )


def _made(content: ContentFeatures) -> float:
    length = scaled(math.log1p(max(0, content.content_length)), 0, math.log1p(FULL_LENGTH))
    reference = 100.0 if content.has_source_reference else 0.0
    return (
        0.35 * content.readability_score + 0.35 * content.information_density_score + 0.20 * length + 0.10 * reference
    )


def _estimated(article: PoolArticle, title: JudgedTitle) -> Part:
    signs = (
        len(title.plain) in TITLE_LENGTHS,
        _NUMBER.search(title.plain) is not None,
        len(fold(article.digest)) >= DIGEST_LENGTH,
    )
    digest_risk = risk(article.digest).score
    base = ESTIMATED_BASE + ESTIMATED_BONUS * sum(signs)
    return Part(
        clamp(base - RISK_SHARE * digest_risk - title.penalty),
        {
            "estimated": True,
            "base": base,
            "risk": digest_risk,
            "clickbait": title.grade.value,
            "title_penalty": title.penalty,
        },
    )
