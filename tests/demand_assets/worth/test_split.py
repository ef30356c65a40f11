"""D-083: what is chosen on one half of the posts is measured on the other."""

from __future__ import annotations

import pytest

from demand_assets.evidence.weights import WeightScores
from demand_assets.worth.split_test import SplitResult, SplitTest
from tests.demand_assets.worth.small_space import outline, posts_of, space_of

_POSTS = [f"p{number}" for number in range(80)]


def _test_of(pairs: dict[str, tuple[str, str]], seed: int = 0) -> SplitTest:
    elements = [(category, post, term) for post, pair in pairs.items() for category, term in enumerate(pair, start=1)]
    elements += [(9, f"q{number}", "别的") for number in range(200)]
    return SplitTest(space_of(elements), [outline(1, 1, 2)], posts_of(i1=list(pairs)), seed, 10, 5, 0.5)


def test_d083_words_that_meet_everywhere_hold() -> None:
    result = _test_of(dict.fromkeys(_POSTS, ("猛龙", "德罗赞"))).measure(lambda _: True)
    assert (result.demands, result.held, result.share) == (1, 1, 1.0)
    assert result.seen + result.unseen == len(_POSTS)


def test_d083_words_of_one_half_only_do_not_hold() -> None:
    seen, unseen = _test_of(dict.fromkeys(_POSTS, ("猛龙", "德罗赞"))).halves()
    pairs = {post: ("猛龙", "德罗赞") for post in seen.posts if post in _POSTS}
    pairs |= {post: ("卖完", "法拉利") for post in unseen.posts if post in _POSTS}
    result = _test_of(pairs).measure(lambda term: term in ("猛龙", "德罗赞"))
    assert (result.demands, result.held, result.unseen) == (1, 0, 0.0)


def test_d083_the_former_way_takes_the_words_of_the_first_post() -> None:
    split = _test_of(dict.fromkeys(_POSTS[1:], ("猛龙", "德罗赞")) | {"p0": ("卖完", "法拉利")})
    first = split.halves()[0].posts[0]
    split = _test_of({post: ("猛龙", "德罗赞") for post in _POSTS if post != first} | {first: ("卖完", "法拉利")})
    result = split.measure_former(WeightScores(1, {}, {}))
    assert (result.demands, result.held, result.seen, result.unseen) == (1, 0, 1.0, 0.0)


def test_d083_the_halves_part_all_posts_and_repeat() -> None:
    split = _test_of(dict.fromkeys(_POSTS, ("猛龙", "德罗赞")), seed=3)
    one, other = split.halves()
    assert sorted([*one.posts, *other.posts]) == split.space.posts
    assert [half.posts for half in split.halves()] == [one.posts, other.posts]
    assert int(one.df.sum() + other.df.sum()) == int(split.space.df.sum())


def test_d083_an_interval_tells_how_sure_a_share_is() -> None:
    low, high = SplitResult(100, 68, 7, 4).interval
    assert (low, high) == (pytest.approx(0.5834, abs=1e-3), pytest.approx(0.7633, abs=1e-3))
    assert SplitResult(0, 0, 0, 0).interval == (0.0, 1.0)
