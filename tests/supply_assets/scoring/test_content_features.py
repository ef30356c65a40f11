"""Features of an article page (S-021): formulas by comparison, ranges by generated texts."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.tool_gateway.results.models import ArticleDetail
from supply_assets.scoring.features.content_features import content_features
from supply_assets.scoring.records import ContentFeatures, Wanted

WANTED = Wanted(terms=("防骗", "老人", "ＡＩ"), expansion=("养老金",))
ARTICLE = """近日，某市公安局通报一起电信网络诈骗案件，涉案金额达120万元。
据新华社报道，2023年5月12日，68岁的王阿姨接到自称“社保中心”的电话，对方要求她转账核实养老金。
老人要记住三件事：不轻信陌生来电，不透露银行卡密码，不向陌生账户转账。
如果已经转账，请在30分钟内拨打110报警，并保留聊天记录和转账凭证。
社区民警提醒，子女平时多陪父母聊聊天，说说身边的案例，比事后追款更有用。
《反电信网络诈骗法》规定，银行有义务对异常转账进行提示和拦截，老人也可以申请延迟到账。"""


def features(text: str, title: str = "老人防骗指南", images: int = 0, videos: int = 0) -> ContentFeatures:
    detail = ArticleDetail(
        url="https://mp.weixin.qq.com/s/a", title=title, text=text, image_count=images, video_count=videos
    )
    return content_features(detail, WANTED)


@pytest.fixture
def real_data_texts(real_data: Path) -> list[str]:
    """The bodies of the articles that have one."""
    lines = (real_data / "wechat" / "full_text.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["content"] or "" for line in lines]


def scores(found: ContentFeatures) -> list[float]:
    return [
        found.readability_score,
        found.information_density_score,
        found.elder_friendly_score,
        found.risk_score,
    ]


def test_s021_a_good_article_has_good_features() -> None:
    found = features(ARTICLE, images=2)
    assert found.readability_score >= 90
    assert found.information_density_score >= 60
    assert found.elder_friendly_score >= 70
    assert found.risk_score == 0
    assert found.risk_reasons == ()
    assert found.has_source_reference
    assert (found.image_count, found.video_count) == (2, 0)


def test_s021_length_counts_what_is_seen_and_no_blanks() -> None:
    assert features(" 老 人\n\u200b防骗 \u3000👴🏻 ").content_length == 6
    assert features("").content_length == 0


@pytest.mark.parametrize("text", ["", " \n\u200b", "😀😀😀\n🎉", "�" * 500])
def test_s021_a_text_without_letters_reads_and_says_nothing(text: str) -> None:
    found = features(text)
    assert found.readability_score == 0
    assert found.information_density_score < 35
    assert found.keyword_coverage["covered"] == round(2 / 3, 4)


def test_s021_readability_falls_with_long_sentences_long_paragraphs_garbage_and_foreign_text() -> None:
    best = features(ARTICLE).readability_score
    no_marks = ARTICLE.replace("。", "").replace("\n", "")
    one_paragraph = ARTICLE.replace("\n", "") * 4
    garbage = "".join(char + "▓" for char in ARTICLE)
    foreign = "Nothing of this is written in Chinese. It is hard to read for them.\n" * 5
    for text in (no_marks, one_paragraph, garbage, foreign):
        assert features(text).readability_score < best - 5


def test_s021_density_falls_with_repetition_and_with_brevity_and_rises_with_facts() -> None:
    best = features(ARTICLE).information_density_score
    line = ARTICLE.splitlines()[2]
    assert features(line * 10).information_density_score < best / 2
    assert features(line).information_density_score < best / 2
    plain = "".join(char for char in ARTICLE if char not in "0123456789《》“”")
    assert features(plain).information_density_score < best


@pytest.mark.real_data
def test_s021_density_measures_a_long_text_window_by_window(real_data_texts: list[str]) -> None:
    long = "\n".join(real_data_texts)
    assert features(long).information_density_score > 50


def test_s021_elder_friendliness_rises_with_topics_pictures_short_sentences_and_falls_with_jargon() -> None:
    plain = "天气不错。" * 40
    score = features(plain, title="天气").elder_friendly_score
    assert features(plain, title="老人天气").elder_friendly_score > score
    assert features(plain + "老人。", title="天气").elder_friendly_score > score
    assert features(plain, title="天气", images=1).elder_friendly_score > score
    assert (
        features(plain, title="天气", videos=1).elder_friendly_score
        == features(plain, title="天气", images=2).elder_friendly_score
    )
    assert features(plain.replace("。", "，"), title="天气").elder_friendly_score < score
    assert features(plain + "API SDK JSON。" * 5, title="天气").elder_friendly_score < score
    assert features("", title="天气").elder_friendly_score == 0
    assert features("", title="老人天气", images=9).elder_friendly_score == 0.75 * 30 + 15


def test_s021_risk_is_of_title_and_text() -> None:
    found = features("本品根治百病，加微信购买", title="祖传秘方")
    assert found.risk_score == 60
    assert found.risk_reasons == ("pseudo_science: 祖传秘方, 根治", "marketing: 加微信")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("来源：新华网", True), ("参考文献 [1]", True), ("据市公安局通报，昨日", True), ("证据不足", False), ("", False)],
)
def test_s021_a_source_is_named_by_the_page_or_the_text(text: str, expected: bool) -> None:
    assert features(text).has_source_reference is expected
    detail = ArticleDetail(url="u", title="t", text=text, has_source_reference=True)
    assert content_features(detail, WANTED).has_source_reference


def test_s021_keyword_coverage_counts_terms_in_title_and_text() -> None:
    found = features("老人，老人家，养老金；ai 助手", title="防骗")
    assert found.keyword_coverage == {"terms": {"防骗": 1, "老人": 2, "ＡＩ": 1, "养老金": 1}, "covered": 1.0}
    assert features("", title="").keyword_coverage["covered"] == 0
    nothing = content_features(ArticleDetail(url="u", title="t", text="x"), Wanted(terms=(" ",)))
    assert nothing.keyword_coverage == {"terms": {}, "covered": 0.0}


def test_s021_summary_is_two_or_three_sentences_of_the_text_in_its_order() -> None:
    summary = features(ARTICLE).summary
    assert 2 <= summary.count("。") <= 3
    assert len(summary) <= 200
    places = [ARTICLE.index(sentence) for sentence in summary.split("。") if sentence]
    assert places == sorted(places)
    assert summary == features(ARTICLE).summary


def test_s021_summary_prefers_sentences_that_name_the_demand() -> None:
    filler = "".join("".join(chr(0x5000 + 25 * n + k) for k in range(25)) + "。" for n in range(30))
    wanted = "老人防骗要靠家人和社区一起来提醒才能够真正有效果。"
    assert wanted in features(filler + wanted).summary
    assert wanted not in content_features(ArticleDetail(url="u", title="t", text=filler + wanted), Wanted(())).summary


def test_s021_summary_does_not_say_a_thing_twice() -> None:
    again = "".join(f"第{n}天的天气记录显示气温和湿度都比较平稳没有变化。" for n in range(9))
    assert features(again + ARTICLE).summary.count("天气记录") == 1


def test_s021_summary_of_text_without_sentences() -> None:
    assert features("").summary == ""
    assert features("短句").summary == "短句"
    assert features("长" * 1000).summary == "长" * 200
    assert features("这一段没有任何标点符号结尾\n后面那行同样不用句号收住").summary == (
        "这一段没有任何标点符号结尾 后面那行同样不用句号收住"
    )


@pytest.mark.parametrize("text", ["好" * 1_000_000, "老人 " * 300_000, "<p>&amp;" * 120_000, "根治。\n" * 250_000])
def test_s021_a_megabyte_is_measured(text: str) -> None:
    found = features(text)
    assert all(0 <= score <= 100 for score in scores(found))
    assert len(found.summary) <= 200


@settings(max_examples=200)
@given(st.text(), st.text(max_size=30), st.integers(0, 500), st.integers(0, 50))
def test_s026_scores_are_in_range_for_any_text(text: str, title: str, images: int, videos: int) -> None:
    found = features(text, title, images, videos)
    assert all(0 <= score <= 100 for score in scores(found))
    assert 0 <= found.keyword_coverage["covered"] <= 1
    assert len(found.summary) <= 200
    assert "\n" not in found.summary


@pytest.mark.real_data
def test_s021_real_articles_spread_over_the_scale(real_data_texts: list[str]) -> None:
    found = [features(text, title="") for text in real_data_texts]
    assert 75 <= median(one.readability_score for one in found) <= 99
    assert 60 <= median(one.information_density_score for one in found) <= 95
    assert sum(one.risk_score >= 50 for one in found) / len(found) < 0.02
