"""A secret from a file is as good as one from the environment, which wins where both are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from resources.foundation.errors import SettingsError
from resources.foundation.secret_files import FOLDER
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings

IN_FILE = "mysql://writer:from-the-file@db:3306/content"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return tmp_path


def test_a_dsn_is_read_from_the_file_of_its_name(folder: Path):
    (folder / "SUPPLY_STORE_MYSQL_DSN").write_text(IN_FILE + "\n")
    (folder / "DEMAND_CONTENT_MYSQL_DSN").write_text(IN_FILE)
    assert read_supply_settings().store_url().password == "from-the-file"
    assert read_settings().store_url().password == "from-the-file"


def test_the_environment_wins(folder: Path, monkeypatch: pytest.MonkeyPatch):
    (folder / "SUPPLY_STORE_MYSQL_DSN").write_text(IN_FILE)
    monkeypatch.setenv("SUPPLY_STORE_MYSQL_DSN", "mysql://writer:from-the-environment@db/content")
    assert read_supply_settings().store_url().password == "from-the-environment"


def test_the_password_of_a_group_may_stand_in_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch):
    (folder / "CONTENT_SUPPLY_DB_PASSWORD").write_text("from-the-file\n")
    for part, value in (("HOST", "db"), ("USER", "writer"), ("DATABASE", "content")):
        monkeypatch.setenv(f"CONTENT_SUPPLY_DB_{part}", value)
    assert read_settings().store_url().password == "from-the-file"


def test_a_folder_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(FOLDER, "/nowhere/at/all")
    with pytest.raises(SettingsError, match=FOLDER):
        read_settings()
    with pytest.raises(SettingsError, match=FOLDER):
        read_supply_settings()
