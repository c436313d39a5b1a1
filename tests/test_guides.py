"""A guide's output is compared line by line, and numbers up to their last digit."""

import pytest

from tests.guides import Block, blocks_of, differences

GUIDE = """
```python
print(1)
```

```text
1
```

```python
x = 2
```

```python
print(x)
```

```
2
```
"""


def test_blocks_have_the_output_that_follows_them() -> None:
    assert blocks_of(GUIDE) == [
        Block("print(1)\n", "1\n"),
        Block("x = 2\n", None),
        Block("print(x)\n", "2\n"),
    ]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("il 0.901\n", "il 0.902\n"),
        ("-0.00  a\n", "+0.00 a\n"),
        ("1e-7 1.2e-07 layers.1\n", "1e-7 1.3e-07  layers.1\n"),
    ],
)
def test_a_number_may_differ_by_its_last_digit(said: str, shown: str) -> None:
    assert differences(said, shown) == []


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("il 0.901\n", "il 0.903\n"),
        ("il 0.901\n", "elle 0.901\n"),
        ("layers.1\n", "layers.2\n"),
        ("a\n", "a\nb\n"),
        ("", "a\n"),
    ],
)
def test_everything_else_is_a_difference(said: str, shown: str) -> None:
    assert differences(said, shown) != []
