"""The account part of a total: is the account to be trusted with this subject (S-023)."""

from __future__ import annotations

from supply_assets.scoring.parts import Part, clamp
from supply_assets.scoring.records import AccountFeatures, PoolArticle

SHARES = {"credibility": 0.5, "vertical": 0.3, "stability": 0.2}
NEUTRAL = 50.0
TAG_PENALTY = 15.0


def account_score(article: PoolArticle) -> Part:
    """0.5 credibility + 0.3 vertical + 0.2 stability, less 15 for each risk tag; 0 … 100.

    A score that is not known counts as 50 and is named in ``neutral``; an article whose account is not known at all
    has 50. The article's own title plays no part.
    """
    account = article.account or AccountFeatures()
    known = {
        "credibility": account.credibility_score,
        "vertical": account.vertical_score,
        "stability": account.stability_score,
    }
    total = sum(SHARES[name] * (NEUTRAL if score is None else score) for name, score in known.items())
    return Part(
        clamp(total - TAG_PENALTY * len(account.risk_tags)),
        {
            **known,
            "neutral": [name for name, score in known.items() if score is None],
            "risk_tags": list(account.risk_tags),
            "verified": account.verified,
        },
    )
