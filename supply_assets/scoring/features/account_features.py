"""What an account's record and its history say of it, in one record (S-021, ACCOUNT_PROFILE).

Belongs here: the formulas over titles, times and counts of a history. Does not belong here: fetching it, scoring an
article. What is not known is ``None``, never 0: without history no score is given.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from resources.tool_gateway.results.models import AccountInfo
from supply_assets.normalisation.counts import Count
from supply_assets.normalisation.texts import fold, key
from supply_assets.scoring.features.risk import risk
from supply_assets.scoring.features.text_shape import bigrams, scaled
from supply_assets.scoring.parts import clamp
from supply_assets.scoring.records import AccountFeatures, Wanted
from supply_assets.scoring.terms.lexicon import Clickbait, clickbait, found_folded, topics

RECENT = timedelta(days=30)
DAILY_GAP, WEEKLY_GAP = 1.5, 8.0
FEWEST_TITLES = 5
DOMINANT_WORDS = 5
CLOSE_SHARE = 0.5
LONG_HISTORY, LONG_LIFE_DAYS = 100, 730
WEAK_SHARE = 0.25

CLICKBAIT_ACCOUNT, MARKETING_ACCOUNT, RISKY_ACCOUNT = 0.15, 0.10, 0.05
"""From this share of its titles on an account is tagged 标题党, 营销号, 高风险; two titles at least, of five."""
FEWEST_TAGGED = 2

_STOP_CHARACTERS = frozenset(
    "的了是在我你他她它们不有这那个和与就也都要会能一二三上下大小来去到着过为什么怎如何吗呢吧啊把被让给对"
)
_CHINA = timezone(timedelta(hours=8))


class HistoryArticle(NamedTuple):
    """One article of an account's history; ``None`` is what was not captured."""

    title: str
    publish_time: datetime | None
    views: Count | None
    likes: Count | None


class _Title(NamedTuple):
    """What one title says whatever is asked for; ``words`` are its two-character words."""

    grade: Clickbait
    risks: frozenset[str]
    topics: tuple[str, ...]
    words: frozenset[str]


def account_features(
    info: AccountInfo | None, history: Sequence[HistoryArticle], wanted: Wanted, now: datetime
) -> AccountFeatures:
    """The features of one account (S-021); the order of ``history`` does not matter.

    ``now`` (aware, UTC) bounds the history: articles dated later have no known time. Medians are of known counts
    only, a capped one by its lower bound. ``recent_article_count`` is of the 30 days up to the newest article.
    ``verified`` is ``None`` where the record does not say.

    Raises:
        TypeError: a time without a zone.
    """
    verified = None if info is None or info.verify_status is None else info.verify_status > 0
    if not history:
        return AccountFeatures(verified=verified)
    titles = [article.title for article in history]
    said = [_title(title) for title in titles]
    times = sorted(a.publish_time for a in history if a.publish_time is not None and a.publish_time <= now)
    gaps = _gaps(times)
    baiting, tags = _title_shares(said)
    return AccountFeatures(
        verified=verified,
        update_frequency=_update_frequency(gaps),
        recent_article_count=sum(time >= times[-1] - RECENT for time in times) if times else None,
        median_view_count=_median([article.views for article in history]),
        median_like_count=_median([article.likes for article in history]),
        vertical_score=_vertical(titles, said, wanted),
        stability_score=_stability(gaps),
        credibility_score=_credibility(verified, titles, times, baiting, now),
        risk_tags=tags,
    )


@lru_cache(maxsize=8192)
def _title(title: str) -> _Title:
    """Accounts come again with task after task, and their latest titles with them."""
    return _Title(
        clickbait(title)[0],
        frozenset(reason.split(":")[0] for reason in risk(title).reasons),
        tuple(topics(title)),
        frozenset(word for word in bigrams(fold(title)) if _STOP_CHARACTERS.isdisjoint(word)),
    )


def _gaps(times: Sequence[datetime]) -> list[int]:
    """Days between the days (in China) on which something was posted; one posting of many articles is one day."""
    days: list[date] = sorted({time.astimezone(_CHINA).date() for time in times})
    return [(later - earlier).days for earlier, later in pairwise(days)]


def _update_frequency(gaps: Sequence[int]) -> str | None:
    """By the median gap: up to 1.5 days daily, up to 8 weekly, else irregular; unknown below two posting days."""
    if not gaps:
        return None
    middle = median(gaps)
    if middle <= DAILY_GAP:
        return "daily"
    return "weekly" if middle <= WEEKLY_GAP else "irregular"


def _stability(gaps: Sequence[int]) -> float | None:
    """100 / (1 + coefficient of variation of the gaps): 100 like clockwork, 50 at random; below two gaps unknown."""
    if len(gaps) < 2:
        return None
    mean = sum(gaps) / len(gaps)
    deviation = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
    return clamp(100 / (1 + deviation / mean))


def _vertical(titles: Sequence[str], said: Sequence[_Title], wanted: Wanted) -> float | None:
    """Half concentration, half closeness to the demand, 0 … 100; below five titles unknown.

    Concentration is the larger of two shares: titles on the dominant topic among those on any, and titles that hold
    one of the account's five most widespread two-character words. Closeness is the share of titles that name a term
    of the demand or touch a topic of it, 0.5 being full.
    """
    if len(titles) < FEWEST_TITLES:
        return None
    by_topic = Counter(topic for one in said for topic in one.topics)
    on_any = sum(bool(one.topics) for one in said)
    topical = max(by_topic.values()) / on_any if on_any >= FEWEST_TITLES else 0.0
    concentration = max(topical, _word_concentration(said))
    terms = (*wanted.terms, *wanted.expansion)
    demanded = set(topics(" ".join(terms)))
    close = sum(
        bool(demanded.intersection(one.topics) or found_folded(fold(title), terms))
        for title, one in zip(titles, said, strict=True)
    )
    return clamp(50 * concentration + 0.5 * scaled(close / len(titles), 0, CLOSE_SHARE))


def _word_concentration(said: Sequence[_Title]) -> float:
    spread = Counter(word for one in said for word in one.words)
    widest = {word for word, _ in sorted(spread.items(), key=lambda entry: (-entry[1], entry[0]))[:DOMINANT_WORDS]}
    return sum(not widest.isdisjoint(one.words) for one in said) / len(said)


def _title_shares(said: Sequence[_Title]) -> tuple[float, tuple[str, ...]]:
    """The share of clickbait titles, 0 … 1, and the tags that the shares of titles give."""
    grades = [one.grade for one in said]
    strong, weak = grades.count(Clickbait.STRONG), grades.count(Clickbait.WEAK)
    marketing = sum(not one.risks.isdisjoint(("marketing", "inducement")) for one in said)
    risky = sum(not one.risks.isdisjoint(("banned", "pseudo_science")) for one in said)
    counted = (
        ("标题党", strong, CLICKBAIT_ACCOUNT),
        ("营销号", marketing, MARKETING_ACCOUNT),
        ("高风险", risky, RISKY_ACCOUNT),
    )
    enough = len(said) >= FEWEST_TITLES
    tags = tuple(tag for tag, n, share in counted if enough and n >= FEWEST_TAGGED and n / len(said) >= share)
    return (strong + WEAK_SHARE * weak) / len(said), tags


def _credibility(
    verified: bool | None, titles: Sequence[str], times: Sequence[datetime], baiting: float, now: datetime
) -> float:
    """The weighted mean of what is known, 0 … 100.

    0.30 verified (yes 100, no 30), 0.20 length of the history (log scale, 100 articles are full), 0.15 age (730 days
    from the oldest article to ``now`` are full), 0.20 clickbait (none 100, a share of 0.3 is 0; a weak word counts a
    quarter), 0.15 repetition (share of titles said before: none 100, half 0). Unknown ones leave the mean.
    """
    keys = [key(title) for title in titles]
    repeated = 1 - len(set(keys)) / len(keys)
    known = [
        (0.20, scaled(math.log1p(len(titles)), 0, math.log1p(LONG_HISTORY))),
        (0.20, scaled(baiting, 0.3, 0)),
        (0.15, scaled(repeated, 0.5, 0)),
    ]
    if verified is not None:
        known.append((0.30, 100.0 if verified else 30.0))
    if times:
        known.append((0.15, scaled((now - times[0]).days, 0, LONG_LIFE_DAYS)))
    return clamp(sum(weight * score for weight, score in known) / sum(weight for weight, _ in known))


def _median(counts: Sequence[Count | None]) -> int | None:
    known = [count.value for count in counts if count is not None]
    return int(median(known)) if known else None
