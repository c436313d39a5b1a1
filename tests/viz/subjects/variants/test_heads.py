from viz.subjects.variants.heads import compare_heads
from viz.subjects.variants.words.heads import report_uneven


def said(found):
    return report_uneven(found).verdict


def test_six_heads_of_512():
    found = compare_heads()
    assert (found.uneven.d_k, found.uneven.joined) == (85, 510)
    assert found.uneven.parameters == 3 * (512 * 510 + 510) + 510 * 512 + 512
    assert found.even.parameters == 4 * (512 * 512 + 512)
    assert found.refusal == "d_model must be divisible by n_heads in paper, got 512 and 6"
    assert said(found).startswith("6 heads of 85 give 510 numbers, 2 fewer than d_model")
    assert "with 4,102 fewer parameters than 8 heads have" in said(found)
    assert said(found).endswith("got 512 and 6”.")


def test_heads_that_divide_get_the_other_verdict():
    found = compare_heads(uneven=4)
    assert found.refusal is None
    assert said(found) == (
        "4 heads of 128 give exactly the 512 of d_model, with as many parameters as 8 heads have."
        " The paper builds it too."
    )


def test_more_heads_than_dimensions_make_it_larger():
    found = compare_heads(d_model=4, uneven=6, even=4)
    assert (found.uneven.d_k, found.uneven.joined) == (1, 6)
    more = (3 * (4 * 6 + 6) + 6 * 4 + 4) - 4 * (4 * 4 + 4)
    assert f"{more} more parameters than 4 heads have" in said(found)
    assert "2 more than d_model" in said(found)
