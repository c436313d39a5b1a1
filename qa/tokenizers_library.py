"""Copy the library that reads third-party tokenizers: `python -m qa.tokenizers_library`.

npm installs the package `@huggingface/tokenizers`. Its smallest build becomes a module of the form
that `viz/alone/bundle.py` can put into a page. A page that is opened from a disk may fetch nothing.
"""

import hashlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "viz" / "pictures" / "browser" / "twin" / "text" / "vendor"
BUILT, LICENCE, README = (
    FOLDER / name for name in ("tokenizers.js", "tokenizers.LICENSE", "README.md")
)
PACKAGE = Path(sys.prefix) / "browser" / "node_modules" / "@huggingface" / "tokenizers"
_EXPORTS = re.compile(r"export\{([^}]*)\};\s*$")
_MODULE = """// @ts-nocheck
// Built by `python -m qa.tokenizers_library` from the package: change nothing here.
/*! @huggingface/tokenizers {version}, by Hugging Face, unchanged but for the form of its exports.
Licensed under the Apache License 2.0: https://www.apache.org/licenses/LICENSE-2.0 */

/** All that the package exports. */
export const LIBRARY = (() => {{
{code}return {{ {names} }};
}})();
"""


def original(package: Path) -> bytes:
    """Read the smallest build of the package, as npm installed it."""
    found = package / "dist" / "tokenizers.min.mjs"
    if not found.exists():
        raise FileNotFoundError(f"{found} is missing: run `python3 start.py test` once")
    return found.read_bytes()


def build(code: str, version: str) -> str:
    """Return the module: the code of the package, which returns its exports."""
    exports = _EXPORTS.search(code)
    if exports is None or re.search(r"^(?:import|export)\b", code, re.MULTILINE):
        raise ValueError("the build of the package must end with its exports and import nothing")
    names = (each.split(" as ") for each in exports[1].split(","))
    returned = ", ".join(f"{outside}: {inside}" for inside, outside in names)
    return _MODULE.format(version=version, code=code[: exports.start()], names=returned)


def code_of(module: str) -> str:
    """Undo `build`: return the code of the package, with the form of its exports."""
    _, _, inside = module.partition("(() => {\n")
    code, _, returned = inside.rpartition("return { ")
    pairs = (each.split(": ") for each in returned.removesuffix(" };\n})();\n").split(", "))
    exports = ",".join(f"{inside} as {outside}" for outside, inside in pairs)
    return f"{code}export{{{exports}}};\n"


def stated() -> tuple[str, str]:
    """Return the version and the hash of the package's build, as the README states them."""
    found = re.search(r"\| (\d+\.\d+\.\d+) \|.*`(\w{64})`", README.read_text("utf-8"))
    assert found is not None
    return found[1], found[2]


def main() -> int:
    """Write the module and the licence; return 1 if the README has another hash."""
    version, digest = stated()
    data = original(PACKAGE)
    BUILT.write_text(build(data.decode(), version), encoding="utf-8")
    LICENCE.write_bytes((PACKAGE / "LICENSE").read_bytes())
    found = hashlib.sha256(data).hexdigest()
    print(BUILT.relative_to(ROOT), found)
    return int(found != digest)


if __name__ == "__main__":
    sys.exit(main())
