import pytest

from model.training.schedule import noam_rate, peak_rate


def test_the_papers_base_model_peaks_after_its_warm_up():
    rates = [noam_rate(step, d_model=512, warmup=4000) for step in (2000, 4000, 16000)]
    # 512^-0.5 * 4000^-0.5 = 1 / sqrt(2048000); half of it halfway, and at four times the steps
    assert rates == pytest.approx([0.000349386, 0.000698771, 0.000349386], rel=1e-5)
    assert peak_rate(d_model=512, warmup=4000) == rates[1]


def test_the_factor_multiplies_and_a_smaller_model_gets_a_higher_rate():
    whole = noam_rate(7, d_model=64, warmup=400)
    assert noam_rate(7, d_model=64, warmup=400, factor=0.5) == whole / 2
    assert whole == noam_rate(7, d_model=256, warmup=400) * 2


def test_steps_count_from_one():
    with pytest.raises(ValueError, match="count from 1, got 0 and 400"):
        noam_rate(0, d_model=64, warmup=400)
