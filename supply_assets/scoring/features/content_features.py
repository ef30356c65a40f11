"""What an article's page says of its quality, in one record (S-021, CONTENT_ENRICH).

Belongs here: putting the features together. Does not belong here: their formulas (a module each beside this one),
fetching, scoring.
"""

from __future__ import annotations

import re

from resources.tool_gateway.results.models import ArticleDetail
from supply_assets.normalisation.texts import display
from supply_assets.scoring.features.keyword_coverage import keyword_coverage
from supply_assets.scoring.features.readability import (
    elder_friendly_score,
    information_density_score,
    readability_score,
)
from supply_assets.scoring.features.risk import risk
from supply_assets.scoring.features.summary import summary
from supply_assets.scoring.features.text_shape import text_shape
from supply_assets.scoring.records import ContentFeatures, Wanted

_REFERENCE = re.compile(
    r"(?:来源|来自|出处|资料来源|消息来源)\s*[|｜:：/]|参考文献|参考资料|据.{2,20}(?:报道|消息|通报|介绍)"
)


def content_features(detail: ArticleDetail, wanted: Wanted) -> ContentFeatures:
    """The features of one article page; every score is 0 … 100, for any text also an empty one (S-021, S-026).

    A text names its source where the page says so or where it says 来源：…, 参考文献 or 据…报道.
    """
    shape = text_shape(detail.text)
    judged = risk(detail.title, detail.text)
    return ContentFeatures(
        content_length=shape.length,
        image_count=detail.image_count,
        video_count=detail.video_count,
        has_source_reference=detail.has_source_reference or _REFERENCE.search(display(detail.text)) is not None,
        readability_score=readability_score(shape),
        information_density_score=information_density_score(shape),
        elder_friendly_score=elder_friendly_score(detail.title, shape, detail.image_count, detail.video_count),
        risk_score=judged.score,
        risk_reasons=judged.reasons,
        keyword_coverage=keyword_coverage(detail.title, detail.text, wanted),
        summary=summary(shape, wanted),
    )
