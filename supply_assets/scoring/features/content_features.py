"""What an article's page says of its quality, in one record (S-021, CONTENT_ENRICH).

Belongs here: putting the features together, those that no demand changes once an article however many tasks find it.
Does not belong here: their formulas (a module each beside this one), fetching, scoring.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from resources.tool_gateway.results.models import ArticleDetail
from supply_assets.normalisation.remembered import remembered
from supply_assets.normalisation.texts import display, fold
from supply_assets.scoring.features.keyword_coverage import keyword_coverage
from supply_assets.scoring.features.readability import (
    elder_friendly_score,
    information_density_score,
    readability_score,
)
from supply_assets.scoring.features.risk import Risk, risk
from supply_assets.scoring.features.summary import Extractable, extractable, summary
from supply_assets.scoring.features.text_shape import text_shape
from supply_assets.scoring.records import ContentFeatures, Wanted

MOST_CHARACTERS = 2_000_000
"""Of the pages whose measures are remembered; what is kept of a page is about ten bytes a character."""

_REFERENCE = re.compile(
    r"(?:来源|来自|出处|资料来源|消息来源)\s*[|｜:：/]|参考文献|参考资料|据.{2,20}(?:报道|消息|通报|介绍)"
)


class Measured(NamedTuple):
    """What title and text say whatever is asked for; ``folded`` is both, as terms are found in them."""

    length: int
    names_source: bool
    readability: float
    information_density: float
    elder_friendly: float
    risk: Risk
    folded: str
    extractable: Extractable


def content_features(detail: ArticleDetail, wanted: Wanted) -> ContentFeatures:
    """The features of one article page; every score is 0 … 100, for any text also an empty one (S-021, S-026).

    A text names its source where the page says so or where it says 来源：…, 参考文献 or 据…报道.
    """
    measured = measure(detail.title, detail.text, detail.image_count, detail.video_count)
    return ContentFeatures(
        content_length=measured.length,
        image_count=detail.image_count,
        video_count=detail.video_count,
        has_source_reference=detail.has_source_reference or measured.names_source,
        readability_score=measured.readability,
        information_density_score=measured.information_density,
        elder_friendly_score=measured.elder_friendly,
        risk_score=measured.risk.score,
        risk_reasons=measured.risk.reasons,
        keyword_coverage=keyword_coverage(measured.folded, wanted),
        summary=summary(measured.extractable, wanted),
    )


@remembered(MOST_CHARACTERS)
def measure(title: str, text: str, image_count: int, video_count: int) -> Measured:
    """Measure a page by what stands on it: the same words under another link are the same article."""
    shape = text_shape(text)
    return Measured(
        length=shape.length,
        names_source=_REFERENCE.search(display(text)) is not None,
        readability=readability_score(shape),
        information_density=information_density_score(shape),
        elder_friendly=elder_friendly_score(title, shape, image_count, video_count),
        risk=risk(title, text),
        folded=f"{fold(title)}\n{fold(text)}",
        extractable=extractable(shape),
    )
