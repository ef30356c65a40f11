"""The contract of the rooms fails where it must: a module without a room, an import that does not go down."""

from __future__ import annotations

import importlib

import grimp
import pytest

from tests.house.rooms import RoomsContract, read_levels, room_of


@pytest.fixture
def house(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> grimp.ImportGraph:
    """A house of two rooms, ``toy.roof`` over ``toy.ground``, and one module outside."""
    root = tmp_path_factory.mktemp("house")
    for name, text in {
        "toy/__init__.py": "",
        "toy/stray.py": "",
        "toy/roof/__init__.py": "",
        "toy/roof/tile.py": "import toy.ground.stone",
        "toy/ground/__init__.py": "",
        "toy/ground/stone.py": "",
        "toy/ground/root.py": "import toy.roof.tile",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(root))
    importlib.invalidate_caches()
    return grimp.build_graph("toy", cache_dir=None)


def checked(house: grimp.ImportGraph, *rooms: str) -> dict[str, list[str]]:
    contract = RoomsContract("rooms", {"root_packages": ["toy"]}, {"rooms": list(rooms)})
    check = contract.check(house, verbose=False)
    assert check.kept is not any(check.metadata.values())
    return check.metadata


def test_a_module_in_no_room_and_an_upward_import_are_named(house: grimp.ImportGraph) -> None:
    found = checked(house, "toy.roof", "toy.ground")
    assert found == {"homeless": ["toy.stray"], "upward": ["toy.ground.root -> toy.roof.tile"]}


def test_rooms_beside_each_other_may_not_know_each_other(house: grimp.ImportGraph) -> None:
    found = checked(house, "toy.stray", "toy.roof | toy.ground")
    assert found["upward"] == ["toy.ground.root -> toy.roof.tile", "toy.roof.tile -> toy.ground.stone"]


def test_a_room_inside_a_room_is_one_of_its_own() -> None:
    levels = read_levels(["house.attic", "house"])
    assert room_of("house.attic.chest", levels) == "house.attic"
    assert room_of("house.door", levels) == "house"
    assert room_of("elsewhere", levels) is None
