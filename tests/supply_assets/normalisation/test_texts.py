"""Titles and names: what is shown, what is equal, what is searched (S-022, WX14, MY1)."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supply_assets.normalisation.texts import cut, display, fits, fold, key

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (None, ""),
        ("<em>高考</em>志愿&amp;填报", "高考志愿&填报"),
        ("<em class='hit'><!--red_beg-->高考<!--red_end--></em>", "高考"),
        ("第一行<br/>第二行\r\n\t第三行", "第一行 第二行 第三行"),
        ("&lt;em&gt; 标签怎么用", "<em> 标签怎么用"),
        ("&amp;amp;", "&"),
        ("&amp;quot;AI&amp;quot;周报", '"AI"周报'),
        ("AT&amp;T 的 &amp;lt;", "AT&T 的 &lt;"),
        ("&copy2024 &times3 &nosuch;", "&copy2024 &times3 &nosuch;"),
        ("3 < 5 > 2", "3 < 5 > 2"),
        ("来聊聊 \u200b| B站", "来聊聊 | B站"),
        ("a\x00b\x07c", "abc"),
        ("坏\ud83d了", "坏了"),
        ("好\ud83d\ude00的", "好😀的"),
        ("🫠神兵𠮷", "🫠神兵𠮷"),
        ("👨\u200d👩\u200d👧 一家", "👨\u200d👩\u200d👧 一家"),
        ("❤\ufe0f健康", "❤\ufe0f健康"),
        (
            "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
            "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        ),
        ("中\u200d文", "中文"),
        ("\u200b\u3164\ufe0f\u2060 \ufeff", ""),
        ("Ａ　全角", "Ａ 全角"),
    ],
)
def test_s022_display_is_what_a_reader_sees(raw: str | None, shown: str) -> None:
    assert display(raw) == shown


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ａ\u200bI 周报", "AI周报"),
        ("【提醒】&quot;AI&quot;周报！", "提醒“ai”周报"),
        ("１０万＋阅读", "10万+ 阅读"),
        ("健康😀养生🈲", "健康养生"),
        ("STRASSE", "straße"),
        ("cafe\u0301", "café"),
    ],
)
def test_wx14_equal_titles_share_a_key(one: str, other: str) -> None:
    assert key(one) == key(other) != ""


@pytest.mark.parametrize(
    ("one", "other"), [("西游记第1集", "西游记第2集"), ("क", "कि"), ("resume", "résumé"), ("AI周报", "AI周刊")]
)
def test_wx14_different_titles_have_different_keys(one: str, other: str) -> None:
    assert key(one) != key(other)


@pytest.mark.parametrize("raw", ["", None, "\u200b\u200d\ufeff", "\u3164\u2800", "！？…", "😀👍", "\ud83d", "_"])
def test_wx14_a_title_without_letters_has_an_empty_key(raw: str | None) -> None:
    assert key(raw) == ""


def test_s022_fold_keeps_punctuation_and_levels_the_rest() -> None:
    assert fold("Ｃ＋＋　ＡＩ\u200b“周报”①") == "c++ ai“周报”1"


@given(ANY_TEXT)
def test_s022_every_form_can_be_stored_and_shows_nothing_invisible(raw: str) -> None:
    for form in (display(raw), fold(raw), key(raw)):
        form.encode("utf-8")
        assert "\x00" not in form
        assert not any(unicodedata.category(char) == "Cc" for char in form)
        assert form == form.strip()


@given(ANY_TEXT)
def test_wx14_a_key_is_its_own_key(raw: str) -> None:
    assert key(key(raw)) == key(raw)


@given(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="&<")))
def test_wx14_a_key_ignores_what_is_invisible(raw: str) -> None:
    assert key("\u200b".join(raw)) == key(raw)


def test_wx14_no_format_character_of_unicode_reaches_a_key_or_fold() -> None:
    every = [chr(point) for point in range(sys.maxunicode + 1) if unicodedata.category(chr(point)) == "Cf"]
    assert fold("字" + "".join(every) + "母") == "字母"
    assert key("字" + "".join(every) + "母") == "字母"


def test_my1_limits_count_code_points() -> None:
    assert fits("🫠𠮷", 2)
    assert not fits("🫠𠮷a", 2)
    assert cut("🫠神兵𠮷", 2) == "🫠神"
    assert cut("👨\u200d👩", 2) == "👨"
    assert cut("短", 5) == "短"
    with pytest.raises(ValueError, match="limit is -1"):
        cut("a", -1)
