"""The shipped kernel is the one that its source builds."""

import os

import pytest

from qa.kernel import BUILT, COMPILER, build


def test_the_kernel_is_built_from_its_source():
    if not COMPILER.exists() and not os.environ.get("CI"):
        pytest.skip("the compiler is not installed")
    assert BUILT.read_text(encoding="utf-8") == build()
