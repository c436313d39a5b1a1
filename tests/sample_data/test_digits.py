import random
from itertools import islice

import pytest

from sample_data.digits import carry_out, random_pairs


def test_targets_against_python():
    expected = {"copy": list, "reverse": lambda d: d[::-1], "sort": sorted}
    seen = set()
    for pair in islice(random_pairs(random.Random(0)), 2000):
        command, *digits = pair.source.split()
        target = pair.target.split()
        assert target == expected[command](digits)
        source = pair.source.split()
        assert all(source[i] == target[j] for i, j in pair.alignment)
        assert sorted(j for _, j in pair.alignment) == list(range(len(digits)))
        assert sorted(i for i, _ in pair.alignment) == list(range(1, len(digits) + 1))
        seen.add((command, len(digits)))
    assert seen == {(command, length) for command in expected for length in range(3, 13)}


def test_equal_digits_keep_their_order():
    assert carry_out("sort", list("7170")).alignment == {(4, 0), (2, 1), (1, 2), (3, 3)}
    with pytest.raises(ValueError, match="must be one of copy, reverse, sort, got 'shuffle'"):
        carry_out("shuffle", ["1"])
