import re

import pytest

from sample_data.pairs import Pair, format_line, read_tsv, write_tsv


def test_written_pairs_are_read_back(tmp_path):
    pairs = [
        Pair("the cat", "le chat", frozenset({(0, 0), (1, 1)})),
        Pair("où", "là", frozenset()),
        Pair("a b", "c", frozenset({(10, 0), (2, 0)})),
    ]
    write_tsv(tmp_path / "pairs.tsv", pairs)
    assert read_tsv(tmp_path / "pairs.tsv") == pairs
    text = (tmp_path / "pairs.tsv").read_text(encoding="utf-8")
    assert text == "the cat\tle chat\t0-0 1-1\noù\tlà\na b\tc\t2-0 10-0\n"
    for plain in ("", "a\tb\n", "a\tb", "a\tb\r\n"):  # with or without a final newline
        (tmp_path / "pairs.tsv").write_bytes(plain.encode())
        expected = [Pair("a", "b", frozenset())] if plain else []
        assert read_tsv(tmp_path / "pairs.tsv") == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("alone", r"must have 2 or 3 tab-separated fields .*, got 1: 'alone'"),
        ("a\tb\t0-0\td", r"must have 2 or 3 tab-separated fields .*, got 4: "),
        ("a\t ", r"source and target must not be empty, got 'a\\t '"),
        ("a\tb\t0-0 1", r'an alignment must be pairs of indexes such as "0-0 1-2", got \'1\''),
        ("a\tb\t0--1", r"an alignment must be pairs of indexes .*, got '0--1'"),
        ("a\tb\t²-1", r"an alignment must be pairs of indexes .*, got '²-1'"),
    ],
)
def test_an_error_names_file_line_rule_and_what_came(tmp_path, line, message):
    path = tmp_path / "pairs.tsv"
    path.write_text(f"good\tbon\n{line}\nlast\tdernier\n", encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(f"{path}, line 2: ") + ".*" + message):
        read_tsv(path)


@pytest.mark.parametrize("source", ["", " ", "a\tb", "a\nb"])
def test_a_pair_that_no_line_can_hold_is_refused(source):
    with pytest.raises(ValueError, match="a source and a target must be text without tabs, got "):
        format_line(Pair(source, "target", frozenset()))
