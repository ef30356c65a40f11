"""The report of a batch opens by a link that a browser can follow."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from resources.platform.configurable import FramesIOManager
from resources.settings.desk import ADDRESS, read_desk_address
from tests.desk.conftest import Desk


def test_s006_the_desk_shows_the_report_of_a_batch_to_who_signed_in(desk: Desk) -> None:
    Path("reports").mkdir()
    Path("reports/581.html").write_text("<!doctype html><p>报告</p>")
    assert desk.client.get("/reports/581", follow_redirects=False).status_code == 303
    desk.sign_in()
    answer = desk.client.get("/reports/581")
    assert (answer.status_code, "报告" in answer.text) == (200, True)
    assert "sandbox allow-scripts" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("batch", "status"), [("582", 404), ("..%2f..%2fsecret", 404), ("secret", 400), ("adhoc-x", 404)]
)
def test_s006_what_is_no_batch_or_has_no_report_is_said(desk: Desk, batch: str, status: int) -> None:
    Path("secret.html").write_text("secret")
    desk.sign_in()
    answer = desk.client.get(f"/reports/{batch}")
    assert (answer.status_code, "secret</" in answer.text) == (status, False)


@pytest.mark.parametrize(
    ("named", "link"),
    [
        (None, None),
        ("https://desk.example.org", "https://desk.example.org/reports/581"),
        ("http://127.0.0.1:8400/", "http://127.0.0.1:8400/reports/581"),
    ],
)
def test_s006_the_ui_links_to_the_desk_where_one_is_named(
    monkeypatch: pytest.MonkeyPatch, named: str | None, link: str | None
) -> None:
    if named is not None:
        monkeypatch.setenv(ADDRESS, named)
    assert read_desk_address().report_link("581") == link
    manager = FramesIOManager().create_io_manager(dg.build_init_resource_context())
    assert manager.desk.report_link("581") == link
