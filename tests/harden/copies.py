"""Trees to put faults into: what git knows of the working tree, copied, and compiled so that no stale code is run."""

from __future__ import annotations

import compileall
import hashlib
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from py_compile import PycInvalidationMode


def files_of(root: Path) -> list[str]:
    """Files of the working tree that are tracked, or would be: changes that are not committed are tried as well."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in set(listed.split("\0")) if name and (root / name).is_file())


def copy_tree(root: Path, files: Iterable[str], target: Path) -> None:
    """Copy the files; code is looked up by the hash of its source, since faults come and go within a second."""
    for name in files:
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, place)
    compileall.compile_dir(target, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)


def digest_of(root: Path, files: Iterable[str]) -> str:
    """SHA-256 over names and contents: the same digest, the same outcome of every mutant."""
    digest = hashlib.sha256()
    for name in files:
        digest.update(f"{name}\0".encode() + hashlib.sha256((root / name).read_bytes()).digest())
    return digest.hexdigest()
