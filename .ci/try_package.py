"""Try an installed Loupe: the README's example, the command, and the page of a run."""

import subprocess
import sys
import tempfile
from pathlib import Path

import loupe

SENTENCE = "The animal didn't cross the street because it was too tired."
TRANSLATION = "l'animal n'a pas traversé la rue parce qu'il était trop fatigué."

place = Path(loupe.__file__).resolve()
if "site-packages" not in place.parts:
    sys.exit(f"this is not an installed package: {place}")

run = loupe.trace(loupe.load("everyday-paper-0"), SENTENCE)
if run.text != TRANSLATION:
    sys.exit(f"the model translates otherwise: {run.text}")
if "<html" not in run.html():
    sys.exit("a run makes no page")

command = Path(sys.executable).with_name("loupe")
for asked in (["--help"], ["app", "--help"], ["site", "--help"]):
    subprocess.run([command, *asked], check=True, stdout=subprocess.DEVNULL)
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([command, "site", str(Path(folder) / "site")], check=True)
    if not (Path(folder) / "site" / "index.html").exists():
        sys.exit("a site has no first page")
sys.stdout.write(f"Loupe {loupe.__version__} works, installed in {place.parent}\n")
