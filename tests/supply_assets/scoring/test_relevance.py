"""Relevance (S-023, S-026): what counts how much, by hand and on graded queries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supply_assets.scoring.ranking.relevance import relevance
from supply_assets.scoring.records import PoolArticle, Wanted
from supply_assets.scoring.terms.lexicon import CLICKBAIT
from supply_assets.scoring.terms.tokens import rarity_of, weight_of, words_of

SALT = Wanted(("高血压", "饮食"), ("血压", "盐"))


def article(title: str, digest: str = "", text: str | None = None) -> PoolArticle:
    return PoolArticle(1, title, "h", digest, text)


def scored(title: str, digest: str = "", text: str | None = None, wanted: Wanted = SALT) -> float:
    return relevance(wanted, article(title, digest, text)).score


def test_s023_a_new_word_once_in_the_title_scores_as_computed_by_hand() -> None:
    part = relevance(Wanted(("甲流",)), article("甲流来了"))

    assert part.score == 50.0  # 1 × 1/(1 + 1) = 0.5; 100 × 0.5/(0.5 + 0.5)
    assert part.inputs == {"strength": 0.5, "covered": 1.0, "found": {"甲流": [1, 0, 0]}}


@pytest.mark.parametrize(
    ("digest", "text", "score"),
    [("甲流", None, 36.36), ("甲流甲流", None, 47.06), ("", "甲流", 15.38), ("", "甲流" * 9, 40.0), ("", "", 0.0)],
)
def test_s023_digest_and_text_count_less_than_the_title(digest: str, text: str | None, score: float) -> None:
    assert scored("来了", digest, text, Wanted(("甲流",))) == score


def test_s023_more_of_the_query_is_more_relevant() -> None:
    both, one, none = scored("高血压的饮食"), scored("高血压的日常"), scored("今天的天气")

    assert both > one > none == 0


def test_s023_terms_are_found_as_substrings_and_by_their_words() -> None:
    assert scored("大高血压病人", wanted=Wanted(("高血压",))) > 33
    assert 0 < scored("血压计怎么选", wanted=Wanted(("高血压",))) < scored("高血压", wanted=Wanted(("高血压",)))


def test_s023_a_rare_character_is_a_weak_sign() -> None:
    assert 0 < scored("胃癌早期", wanted=Wanted(("癌症",))) < 33
    assert scored("便宜的店", wanted=Wanted(("便秘",))) == 0


def test_s023_an_expansion_term_weighs_less_than_a_term_of_the_query() -> None:
    as_term = scored("甲流来了", wanted=Wanted(("甲流", "带货")))
    as_expansion = scored("甲流来了", wanted=Wanted(("带货",), ("甲流",)))
    among_many = scored("甲流来了", wanted=Wanted(("带货",), ("甲流", "控糖", "早癌", "植发", "产检", "厨余")))

    assert as_term > as_expansion > 33 > among_many > 0


def test_s023_a_common_word_tells_less_than_a_rare_one_of_the_same_query() -> None:
    wanted = Wanted(("乳腺", "健康"))

    assert scored("健康", wanted=wanted) < 33 < scored("乳腺", wanted=wanted)
    assert weight_of("能吃吗") < weight_of("隔夜") < weight_of("控糖") == 1


def test_s023_a_query_of_common_words_only_is_met_by_them() -> None:
    assert scored("健康", wanted=Wanted(("健康",))) == 50.0


def test_s023_words_of_a_scene_are_no_subject() -> None:
    wanted = Wanted(("失眠怎么办",))

    assert scored("下雨怎么办", wanted=wanted) == 0 < scored("失眠的人", wanted=wanted)


def test_s023_latin_terms_stand_alone_and_width_and_case_do_not_count() -> None:
    wanted = Wanted(("AI",))

    assert scored("email 和 air", wanted=wanted) == 0
    assert scored("ＡＩ绘画", wanted=wanted) == scored("ai绘画", wanted=wanted) == 50.0


def test_s023_covered_is_the_share_of_the_querys_own_terms() -> None:
    assert relevance(SALT, article("血压与盐")).inputs["covered"] == 0.5
    assert relevance(SALT, article("高血压", "饮食")).inputs["covered"] == 1.0


def test_s023_a_term_with_blanks_is_several_terms_and_a_blank_one_is_none() -> None:
    split = relevance(Wanted(("高血压 饮食", " ")), article("高血压饮食"))

    assert split == relevance(Wanted(("高血压", "饮食")), article("高血压饮食"))
    assert relevance(Wanted((" ",)), article("高血压")).score == 0


@settings(deadline=None)
@given(
    word=st.sampled_from(CLICKBAIT),
    title=st.text(alphabet="高血压饮食盐吃的了！ 😀", max_size=15),
    at=st.integers(0, 15),
    digest=st.text(max_size=10),
)
def test_s026_a_clickbait_word_changes_no_relevance(word: str, title: str, at: int, digest: str) -> None:
    assert scored(title[:at] + word + title[at:], digest) == scored(title, digest)


@settings(deadline=None)
@given(
    terms=st.lists(st.text(max_size=6), max_size=3),
    expansion=st.lists(st.text(max_size=6), max_size=4),
    title=st.text(max_size=40),
    text=st.none() | st.text(max_size=200),
)
def test_s026_relevance_is_in_range_for_any_input(
    terms: list[str], expansion: list[str], title: str, text: str | None
) -> None:
    assert 0 <= scored(title, title, text, Wanted(tuple(terms), tuple(expansion))) <= 100


def test_background_words_are_of_two_characters_and_more() -> None:
    assert words_of("失眠怎么办") == ("失眠", "怎么", "怎么办")
    assert rarity_of("癌") > rarity_of("人") > 0 == rarity_of("a") == rarity_of("！")


def test_the_background_dictionary_is_quiet_and_leaves_no_file(tmp_path: Path) -> None:
    code = "from supply_assets.scoring.terms.tokens import words_of; print(words_of('高血压'))"
    root = Path(__file__).resolve().parents[3]
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(root)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "('血压', '高血压')"
    assert "dict" not in run.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.real_data
def test_s023_ndcg_of_relevance_alone_on_graded_queries(real_data: Path) -> None:
    from tests.bench.ranking import bm25_ways, graded, relevance_way, summary

    corpus = graded(real_data)
    plain, wider = bm25_ways(corpus)
    ours = summary(corpus, relevance_way(corpus))

    assert summary(corpus, plain)["all"] == pytest.approx(0.761, abs=0.0005)
    assert summary(corpus, wider)["all"] == pytest.approx(0.846, abs=0.0005)
    assert min(ours.values()) >= 0.88
