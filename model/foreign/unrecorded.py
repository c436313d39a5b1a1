"""Reasons why a part of a third-party model may be missing from its record."""

SOFTMAX = "a softmax ran there beside products of its inputs, in a form that Loupe cannot record"
NO_ATTENTION = "no attention was recorded there, and tokens may mix in another way"
