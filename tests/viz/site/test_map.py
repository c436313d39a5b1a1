"""What the site says about a model's tensors: those that it can show, and the names of axes."""

from model.tensor_names import tensor_names
from tests.shipped import PAPER, shipped
from viz.models import running
from viz.run.inputs import Inputs
from viz.site.map import site_map


def test_every_tensor_that_the_browser_computes_can_be_shown():
    run, _ = shipped(PAPER)
    view = running.open_view(Inputs(PAPER, run.source_text, "", "cpu"))
    packed = site_map(view)
    named = [name for axes in packed["tensors"] for name in axes["names"]]
    assert sorted(named) == sorted({*tensor_names(run.info.config)} - {"output"})
    of = {name: axes for axes in packed["tensors"] for name in axes["names"]}
    cross = of["decoder.layers.1.cross_attn.weights"]
    assert (cross["rows"], cross["columns"], cross["isProbability"]) == ("written", "source", True)
    hidden = of["encoder.layers.0.feed_forward.hidden"]
    assert (hidden["rows"], hidden["columns"]) == ("source", None)
    assert hidden["titles"] == ("position", "d_ff")
    assert of["target_embedding.tokens"]["rows"] == "read"
    assert packed["samples"] == {}
