"""A user's file of posts: what is taken, and how what is not taken is named."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from sandbox.mining.posts import PostsInvalid, check_posts, read_posts

HEADER = "id,title,category_path,tags\n"


def written(folder: Path, text: str | bytes, name: str = "posts.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return path


def test_reads_csv_with_byte_order_mark_quotes_and_every_separator(tmp_path: Path) -> None:
    text = (
        "\ufeffcategory_path,id,title,tags,note\r\n"
        '/实质/健康/养生,a1,"泡脚,早起","泡脚,艾草；养生",x\r\n'
        "实质/ 健康 /,7,,粥、 汤 ;;汤，🫠神兵𠮷,y\r\n"
    )

    posts = read_posts(written(tmp_path, text))

    assert posts.to_dict("list") == {
        "id": ["a1", "7"],
        "title": ["泡脚,早起", ""],
        "category_path": ["/实质/健康/养生", "/实质/健康"],
        "tags": [["泡脚", "艾草", "养生"], ["粥", "汤", "🫠神兵𠮷"]],
    }


def test_reads_parquet_with_lists_and_numeric_ids(tmp_path: Path) -> None:
    path = tmp_path / "posts.parquet"
    frame = pd.DataFrame(
        {"id": [2**60 + 1], "title": [None], "category_path": ["/意图/求知"], "tags": [["a;b", "a;b", " c "]]}
    )
    frame.to_parquet(path)

    posts = read_posts(path)

    assert posts.loc[0].to_dict() == {
        "id": str(2**60 + 1),
        "title": "",
        "category_path": "/意图/求知",
        "tags": ["a;b", "c"],
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "posts have no column id, title, category_path, tags"),
        ("id,title,tags\n", "posts have no column category_path"),
        (HEADER, "there is no post to mine"),
        (HEADER + "a,t,/实质,x\n ,t,/实质,x\n", "line 3: id is blank"),
        (HEADER + "a,t,/实质,x\na,t,/实质,x\n", "line 3: id 'a' is that of line 2 already"),
        (HEADER + f"{'a' * 129},t,/实质,x\n", "line 2: id is longer than 128 characters"),
        (HEADER + "a,t,/实质,;; 、\n", "line 2: tags is blank"),
        (HEADER + "a,t,/实质,\u200b\n", "line 2: tags is blank"),
        (HEADER + f"a,t,/实质,{'长' * 256}\n", "line 2: a tag is longer than 255 characters"),
        (HEADER + "a,t,,x\n", "line 2: category path '' is blank"),
        (HEADER + "a,t,/实质//养生,x\n", "line 2: category path '/实质//养生' is blank or has a blank part"),
        (HEADER + f"a,t,/实质/{'长' * 256},x\n", "line 2: category path"),
        (HEADER + "a,t,/实质,x,y\n", "line 2 has 5 fields, the header 4"),
        (HEADER + "a,t,/实质\n", "line 2 has 3 fields, the header 4"),
        (HEADER + "a,t,/实质,x\x00y\n", "line 2: tags holds a NUL character"),
    ],
)
def test_names_the_row_and_column_that_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(PostsInvalid) as refusal:
        read_posts(written(tmp_path, text))

    assert refusal.value.message.startswith(message)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("posts.csv", "id,title,category_path,tags\na,标题,/实质,x\n".encode("gb18030"), "is not UTF-8"),
        ("posts.csv", HEADER + 'a,"t,/实质,x\n', "is not well-formed CSV"),
        ("posts.parquet", "no", "is not a readable Parquet file"),
        ("posts.xlsx", "no", r"is neither a \.csv nor a \.parquet file"),
    ],
)
def test_names_the_file_that_cannot_be_read(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    with pytest.raises(PostsInvalid, match=message):
        read_posts(written(tmp_path, content, name))


def test_names_the_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PostsInvalid, match="there is no file"):
        read_posts(tmp_path / "posts.csv")


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        (None, "row 1: tags is neither a list nor text"),
        ([1], "row 1: tags is not text"),
        ([], "row 1: tags is blank"),
    ],
)
def test_checks_frames_made_elsewhere(tags: object, message: str) -> None:
    frame = pd.DataFrame([{"id": "a", "title": "t", "category_path": "/实质", "tags": tags}])

    with pytest.raises(PostsInvalid, match=message):
        check_posts(frame)


def test_takes_a_plain_table_as_a_spreadsheet_saves_it(tmp_path: Path) -> None:
    """A byte order mark, the heading as it is spoken, and a first level that is no dimension."""
    posts = read_posts(
        written(tmp_path, "\ufeffid,title,category path,tags\r\np1,泡脚,健康/养生,泡脚\r\np2,喝粥,/意图/求知,粥\r\n")
    )

    assert list(posts["category_path"]) == ["/实质/健康/养生", "/意图/求知"]
