"""Python's runs, repeated in the browser: copied rows belong to the same target."""

from pathlib import Path

import numpy as np
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from model.traces import find_tensor
from tests.checkpoints import SHIPPED, VARIANTS
from tests.node import told_by
from viz.models.browser_inputs import pack_inputs
from viz.models.material import material
from viz.run.inputs import Inputs
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.view import View

SCRIPT = Path(__file__).with_name("inputs.js")
WEIGHTS = "decoder.layers.1.cross_attn.weights"
COPIED = Intervention("patch", WEIGHTS, head=1, rows=(2,), origin_rows=(4,), origin_head=3)
TEXT, OTHER = "the small cat sleeps .", "les vieux chiens noirs mangent du pain ."


@pytest.mark.parametrize("target", ["", OTHER], ids=["written", "given"])
def test_rows_are_copied_from_the_run_of_the_same_target(target: str):
    name = VARIANTS["paper"]
    checkpoint = load_checkpoint(SHIPPED / name)
    changes = (COPIED,)
    run = make_run(checkpoint, TEXT, target, changes, material(checkpoint, TEXT, target))
    view = View(Inputs(name, TEXT, target, "cpu", changes), run, pack_run(run, "k"), checkpoint)
    data = pack_inputs(view, {"key": name, "address": ""})
    asked = {"checkpoint": str(SHIPPED / name), "data": data, "name": WEIGHTS}
    told = told_by(SCRIPT, asked)
    wanted = find_tensor(run.trace, WEIGHTS)[0].numpy()
    np.testing.assert_allclose(np.reshape(told["numbers"], told["shape"]), wanted, atol=1e-4)
    before = find_tensor(make_run(checkpoint, TEXT, target).trace, WEIGHTS)[0].numpy()
    np.testing.assert_allclose(wanted[1, 2], before[3, 4], atol=1e-6)
