"""The page What mattered for models of one text."""

import pytest
import torch

from model.attribution.sublayers import Part
from model.checkpoints.checkpoint import load_checkpoint
from model.traces import named_tensors
from tests.checkpoints import ONE_TEXT, load_shipped
from tests.closeness import rooms
from tests.pages import open_page, sent, texts
from viz.run.making import make_run
from viz.subjects.mattered.damage import measure_losses

NAMES = ("tiny-gpt", "tiny-bert", "tiny-alibi")


@pytest.mark.parametrize("name", NAMES)
def test_a_cut_head_costs_what_its_columns_of_the_output_are_worth(one_text_checkpoints, name):
    checkpoint = load_checkpoint(one_text_checkpoints / name)
    run, model = make_run(checkpoint, ONE_TEXT), checkpoint.model
    losses = measure_losses(run, model, "zero")
    found = next(one for one in losses.of if one.part.head == 2)
    weight = model.get_submodule(found.part.sublayer).output.weight
    kept = weight.data.clone()
    ids = torch.tensor([run.target_ids or run.source.ids])
    weight.data[:, 16:24] = 0
    with torch.inference_mode():
        if run.steps:
            logits, wanted = model(None, ids[:, :-1]).logits, ids[:, 1:]
        else:
            logits, wanted = model(ids, None).logits, ids
    weight.data[:] = kept
    loss = torch.nn.functional.cross_entropy(logits[0], wanted[0]).item()
    assert found.damage == pytest.approx(loss - losses.loss, abs=1e-5)
    best = logits[0].argmax(-1).tolist()[run.n_prompt :]
    assert found.text == run.info.tokenizers.target.decode(best)


def test_of_hidden_words_alone_it_is_told_what_a_cut_costs():
    checkpoint = load_shipped("agreement")
    run, model = make_run(checkpoint, "the kings near the dog <mask> old ."), checkpoint.model
    place = run.source.tokens.index("<mask>")
    losses = measure_losses(run, model, "zero")
    assert losses.text == "the kings near the dog were old."
    # A log-softmax is off by the error of one logit and of a mean of logits.
    room = 2 * dict(rooms(dict(named_tensors(run.trace))))["logits"][0, place].max()
    own = -run.trace.logits[0, place].log_softmax(-1).max().item()
    assert losses.loss == pytest.approx(own, abs=room)
    found = next(one for one in losses.of if one.part == Part("encoder.layers.0.self_attn", 1))
    weight = model.get_submodule(found.part.sublayer).output.weight
    kept = weight.data.clone()
    weight.data[:, 16:32] = 0
    with torch.inference_mode():
        logits = model(torch.tensor([run.source.ids]), None).logits[0, place]
    weight.data[:] = kept
    were = run.trace.logits[0, place].argmax()
    assert found.damage == pytest.approx(
        -logits.log_softmax(-1)[were].item() - losses.loss, abs=2 * room
    )
    word = run.info.tokenizers.source.token(logits.argmax().item())
    assert found.text == f"the kings near the dog {word} old."


@pytest.mark.usefixtures("one_text_app")
@pytest.mark.parametrize("name", NAMES)
def test_the_page_measures_one_text(name):
    opened = dict.fromkeys(("more_mattered_measures", "more_mattered_lead"), "true")
    page = open_page("mattered", name, source=ONE_TEXT, **opened)
    shown = texts(page)
    assert "Which part of the model did this text need?" in shown
    assert "loupe-fail" not in shown
    assert "the parts sum to the logit difference" in shown or name == "tiny-bert"
    [data] = sent(page, "mattered_measures")
    assert data["by"] == ("query" if name == "tiny-bert" else "step")
    names = [measure["name"] for measure in data["measures"]]
    assert names == ["attention", "vectors", "gradient", "integrated"]
    assert len(data["source"]) == len(data["written"])
    rows = data["measures"][0]["rows"]
    known = [sum(value is not None for value in row) for row in rows]
    whole = range(1, len(rows) + 1) if data["by"] == "step" else [len(rows)] * len(rows)
    assert known == [*whole], "a decoder's row reads the tokens up to its own"
