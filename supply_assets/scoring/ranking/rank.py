"""A pool in, a ranking out: scores, filters, duplicates, diversity, selection (S-023, S-024, S-025).

Belongs here: putting the parts together. Does not belong here: what a part is made of, stores, the clock. The order in
which the pool comes plays no part. The steps:

1. duplicates are joined (``duplicates``) and views medians taken over one article a cluster (``popularity``);
2. every article gets its five parts, its base total ``Σ weight × part``, and the filters that it does not pass;
3. one article stands for each cluster, the others are ``duplicate``;
4. ``total = max(0, base - diversity penalty)`` (``diversity``);
5. those that passed are selected by total until ``expected_count``, at most ``ACCOUNT_QUOTA`` of an account; one that
   is left out for its account's sake has passed and bears the reason ``account_quota``. Nothing fills up what is
   missing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from resources.foundation.errors import UsageError
from supply_assets.scoring.ranking.diversity import PER_ACCOUNT, count_topics, penalty
from supply_assets.scoring.ranking.duplicates import Clustered, cluster
from supply_assets.scoring.ranking.filters import ACCOUNT_QUOTA, DUPLICATE
from supply_assets.scoring.ranking.popularity import medians_of
from supply_assets.scoring.ranking.verdicts import Key, Scored, score, verdict
from supply_assets.scoring.ranking.weights import as_mapping, read_weights
from supply_assets.scoring.records import PoolArticle, RankedArticle, Ranking, Wanted, Weights

SCORE_VERSION = "v1"
LONGEST_VERSION = 32
_DEFAULT = Weights()


class _Judged(NamedTuple):
    key: Key
    article: PoolArticle
    verdict: RankedArticle


def rank_pool(
    wanted: Wanted, articles: Sequence[PoolArticle], weights: Weights = _DEFAULT, score_version: str = SCORE_VERSION
) -> Ranking:
    """Rank a pool; all its articles are in the result, those that passed first, each group by falling total.

    Scores and totals have two decimals. ``by_filter`` counts the first reason of each article that did not pass;
    ``duplicates`` and ``over_account_quota`` are counted apart. ``topics`` is about the selected ones, ``rank_no``
    is theirs alone. ``score_version`` is the name that the result is kept under (S-027).

    Raises:
        WeightsRefused: a weight is out of range, or they do not sum to 1.
        UsageError: ``score_version`` is blank or longer than its column.
    """
    shares = as_mapping(read_weights(as_mapping(weights)))
    if not score_version.strip() or len(score_version) > LONGEST_VERSION:
        raise UsageError(
            f"score_version is {score_version[:40]!r}", f"give a name of 1 to {LONGEST_VERSION} characters"
        )
    pool = cluster(articles)
    medians = medians_of(pool.representatives())
    scored = [score(wanted, article, medians, shares) for article in pool.articles]
    judged = sorted(_judge(pool, scored, shares), key=lambda one: (not one.verdict.passed, one.key))
    return _summed_up(wanted.expected_count, _select(judged, wanted.expected_count), score_version)


def _judge(pool: Clustered, scored: Sequence[Scored], shares: Mapping[str, float]) -> Iterator[_Judged]:
    stand_ins = pool.stand_ins([not one.hits for one in scored])
    passing: defaultdict[str, list[Key]] = defaultdict(list)
    for place in stand_ins.values():
        account = scored[place].article.account_key
        if account and not scored[place].hits:
            passing[account].append(scored[place].key(scored[place].base))
    for keys in passing.values():
        keys.sort()
    for place, one in enumerate(scored):
        account = one.article.account_key
        taken = penalty(one.key(one.base), passing.get(account, ()) if account else ())
        said = verdict(one, shares, taken, pool.duplicate(place, stand_ins))
        yield _Judged(one.key(said.total), one.article, said)


def _select(judged: Sequence[_Judged], expected: int) -> list[_Judged]:
    """The same in the same order; the selected ones are numbered from 1."""
    of_account: Counter[str] = Counter()
    selected = 0
    done = []
    for one in judged:
        account, said = one.article.account_key, one.verdict
        if said.passed and selected < expected:
            if account and of_account[account] >= PER_ACCOUNT:
                said = replace(said, filter_reason=ACCOUNT_QUOTA)
            else:
                selected += 1
                of_account.update([account] if account else [])
                said = replace(said, selected=True, rank_no=selected)
        done.append(one._replace(verdict=said))
    return done


def _summed_up(expected: int, judged: Sequence[_Judged], score_version: str) -> Ranking:
    selected = [one.article for one in judged if one.verdict.selected]
    reasons = Counter(one.verdict.filter_reason for one in judged if one.verdict.filter_reason)
    duplicates, over_quota = reasons.pop(DUPLICATE, 0), reasons.pop(ACCOUNT_QUOTA, 0)
    return Ranking(
        articles=tuple(one.verdict for one in judged),
        score_version=score_version,
        wanted=expected,
        selected=len(selected),
        shortfall=max(0, expected - len(selected)),
        by_filter=dict(sorted(reasons.items())),
        duplicates=duplicates,
        over_account_quota=over_quota,
        topics=count_topics(f"{article.title}\n{article.digest}" for article in selected),
    )
