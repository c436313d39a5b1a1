"""Cuts made together equal each cut alone, and equal a model without that part."""

import copy
import functools

import pytest
import torch

from model.attribution.ablation import forced_logits, group_sweep, rewrite, sweep
from model.attribution.cuts import allowed_keys, cut_edits, cut_everywhere, mean_outputs
from model.attribution.options import check_choice, check_positions
from model.attribution.sublayers import Part, check_how, heads, parts, sublayers
from model.decoding.greedy import greedy
from model.edits import Edits
from model.text.corpus import Example, make_example
from sample_data.tasks import load_held_out
from tests.checkpoints import load_shipped
from tests.model.training.test_text_evaluation import AROUND, BEFORE, model_of
from tests.tiny import tiny_config, tiny_model

SOURCE, TARGET = (3, 4, 5, 2), (1, 5, 6, 7, 2)
SELF, CROSS = "decoder.layers.1.self_attn", "decoder.layers.1.cross_attn"
EXAMPLES = [Example(SOURCE, TARGET), Example((6, 7, 8, 2), (1, 9, 4, 3, 2))]


@functools.cache
def means():
    return mean_outputs(tiny_model(), EXAMPLES)


def logits_of(model, edits=None):
    source, target = torch.tensor([SOURCE]), torch.tensor([TARGET[:-1]])
    return forced_logits(model, source, target, *([edits] if edits else []))


def loss_of(model) -> float:
    logs = logits_of(model)[0].double().log_softmax(dim=-1)
    return -sum(logs[row, token].item() for row, token in enumerate(TARGET[1:])) / len(TARGET[1:])


def changed(change):
    """Return the tiny model with the parameters of one decoder layer changed."""
    model = copy.deepcopy(tiny_model())
    with torch.no_grad():
        change(model.decoder.layers[1])
    return model


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "how"),
    [("paper", "zero"), ("prenorm", "mean"), ("temperature", "zero"), ("headlist", "even")],
)
def test_many_cuts_at_once_are_what_each_is_alone(name, how):
    model = tiny_model(name)
    of = mean_outputs(model, EXAMPLES)
    cuts = [(), *((part,) for part in parts(model.config, how)[::4])]
    together = sweep(model, SOURCE, TARGET, cuts, how, of)
    alone = [sweep(model, SOURCE, TARGET, [cut], how, of) for cut in cuts]
    torch.testing.assert_close(together.losses, torch.cat([one.losses for one in alone]))
    assert torch.equal(together.best, torch.cat([one.best for one in alone]))


ONE_TEXT = {
    "decoder": {"source_vocab_size": 0, "n_encoder_layers": 0, "n_kv_heads": 2, "window": 3},
    "attention only": {
        "source_vocab_size": 0,
        "n_encoder_layers": 0,
        "d_ff": 0,
        "positions": "alibi",
        "norm_placement": "parallel",
    },
    "encoder": {"target_vocab_size": 0, "n_decoder_layers": 0, "head": "transform"},
}


@pytest.mark.parametrize("name", ONE_TEXT)
def test_a_model_of_one_text_loses_what_its_own_pass_without_the_head_loses(name):
    model = tiny_model(**ONE_TEXT[name])
    config = model.config
    text = (1, 5, 6, 7, 5, 2)
    source, target = ((), text) if config.has_decoder else (text, ())
    cut = [each for part in heads(config) for each in [part, Part(part.sublayer)]]
    found = sweep(model, source, target, [(), *((one,) for one in cut)])

    def alone(edits):
        ids = torch.tensor([text])
        if config.has_decoder:
            return model(None, ids[:, :-1], edits=edits).logits, ids[:, 1:]
        return model(ids, None, edits=edits).logits, ids

    for loss, part in zip(found.losses.tolist(), [None, *cut], strict=True):
        where = "" if part is None or part.head is None else f"[{part.head}]"
        last = "heads" if where else "output"
        edits = Edits({f"{part.sublayer}.{last}{where}": torch.zeros_like} if part else {})
        logits, right = alone(edits)
        expected = torch.nn.functional.cross_entropy(logits[0], right[0]).item()
        assert loss == pytest.approx(expected, abs=1e-5)


def test_a_window_is_read_evenly_as_far_as_its_mask_lets_through():
    model = tiny_model(**ONE_TEXT["decoder"])
    trace = model(None, torch.tensor([[1, 5, 6, 7, 5]]))
    allowed = trace.decoder.layers[0].self_attn.mask[0]
    assert torch.equal(allowed_keys(5, 5, causal=True, window=3), allowed)
    even = sweep(model, (), (1, 5, 6, 7, 5, 2), [(Part("decoder.layers.0.self_attn", 0),)], "even")
    assert even.losses.isfinite().all()


def test_a_head_cut_to_zero_is_one_that_nothing_reads():
    def forget(layer):
        layer.cross_attn.output.weight[:, 4:8] = 0  # d_v is 4: the columns of head 1

    uncut, found = sweep(tiny_model(), SOURCE, TARGET, [(), (Part(CROSS, 1),)]).losses.tolist()
    assert uncut == pytest.approx(loss_of(tiny_model()), abs=1e-5)
    assert found == pytest.approx(loss_of(changed(forget)), abs=1e-5)


def test_a_sublayer_cut_to_zero_is_one_that_adds_nothing():
    def forget(layer):
        layer.feed_forward.contract.weight.zero_()
        layer.feed_forward.contract.bias.zero_()

    cut = (Part("decoder.layers.1.feed_forward"),)
    found = sweep(tiny_model(), SOURCE, TARGET, [cut]).losses.item()
    assert found == pytest.approx(loss_of(changed(forget)), abs=1e-5)


@pytest.mark.parametrize("name", [SELF, CROSS])
def test_a_head_that_looks_evenly_is_one_whose_scores_are_all_the_same(name):
    def forget(layer):
        query = getattr(layer, name.rpartition(".")[2]).query
        query.weight[8:12], query.bias[8:12] = 0, 0

    found = sweep(tiny_model(), SOURCE, TARGET, [(Part(name, 2),)], "even").losses.item()
    assert found == pytest.approx(loss_of(changed(forget)), abs=1e-5)


def test_a_mean_is_taken_over_sentences_and_positions():
    model = tiny_model()
    traces = [model(torch.tensor([e.source]), torch.tensor([e.target[:-1]])) for e in EXAMPLES]
    attentions = [trace.decoder.layers[1].cross_attn for trace in traces]
    z = torch.cat([attention.heads[0, 2] for attention in attentions])
    torch.testing.assert_close(means()[Part(CROSS, 2)], z.mean(dim=0))
    output = torch.cat([attention.output[0] for attention in attentions])
    torch.testing.assert_close(means()[Part(CROSS)], output.mean(dim=0))
    edits = cut_edits(model.config, [(Part(CROSS, 2),)], "mean", means())
    cut = model(torch.tensor([SOURCE]), torch.tensor([TARGET[:-1]]), edits=edits)
    torch.testing.assert_close(
        cut.decoder.layers[1].cross_attn.heads[0, 2], z.mean(0).expand(4, -1)
    )


@pytest.mark.parametrize(("stack", "examples"), [("decoder", BEFORE), ("encoder", AROUND)])
def test_a_mean_is_taken_over_all_positions_of_single_texts_and_put_in_every_row(stack, examples):
    model, cut = model_of(stack), Part(f"{stack}.layers.1.self_attn", 1)
    found = mean_outputs(model, examples)
    rows = []
    for example in examples:
        ids = torch.tensor([example.ids])
        texts = (None, ids) if stack == "decoder" else (ids, None)
        layers = getattr(model(*texts), stack).layers
        rows += layers[1].self_attn.heads[0, 1].tolist()
    torch.testing.assert_close(found[cut], torch.tensor(rows).mean(dim=0))
    edits = cut_everywhere(model.config, (cut,), "mean", found)
    both = tuple(text if text is None else text.repeat(2, 1) for text in texts)
    without = getattr(model(*both, edits=edits), stack).layers[1].self_attn.heads
    torch.testing.assert_close(without[:, 1], found[cut].expand(2, ids.size(1), -1))
    torch.testing.assert_close(without[:, 0], layers[1].self_attn.heads[:, 0].expand(2, -1, -1))


def test_parts_are_listed_as_they_compute_and_what_cannot_be_cut_so_is_refused():
    config = tiny_config()
    names = [part.sublayer for part in sublayers(config)]
    assert names[:2] == ["encoder.layers.0.self_attn", "encoder.layers.0.feed_forward"]
    assert names[5] == "decoder.layers.0.cross_attn"
    assert len(heads(config)) == 4 * (2 + 2 * 3)
    assert parts(config)[:2] == (Part(names[0]), Part(names[0], 0))
    assert not [part for part in parts(config, "even") if not part.is_attention]
    with pytest.raises(ValueError, match="needs the means"):
        cut_edits(tiny_config(), [(Part(SELF, 0),)], "mean")
    with pytest.raises(ValueError, match="no attention weights"):
        cut_edits(tiny_config(), [(Part("encoder.layers.0.feed_forward"),)], "even")


@pytest.mark.parametrize("how", ["zero", "even"])
def test_what_is_written_without_a_part_is_what_greedy_decoding_writes(how):
    model = tiny_model()
    cuts = [(), *((part,) for part in heads(model.config)[::5])]
    written = rewrite(model, SOURCE, cuts, how, means(), max_length=9)
    for cut, ids in zip(cuts, written, strict=True):
        edits = cut_edits(model.config, [cut], how, means())
        steps = greedy(model, torch.tensor([SOURCE]), max_length=9, edits=edits)
        assert ids == tuple(step.token for step in steps)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paper", "headlist"])
def test_many_sentences_lose_what_each_loses(name):
    model = tiny_model(name)
    cuts = [(), (Part(CROSS),), (Part(SELF, 1), Part(CROSS, 0))]
    found = group_sweep(model, EXAMPLES, cuts)
    each = [sweep(model, e.source, e.target, cuts).losses for e in EXAMPLES]
    expected = torch.stack(each, dim=1) * (len(TARGET) - 1)
    torch.testing.assert_close(found.losses, expected)


@pytest.mark.slow
def test_forced_rows_tell_what_greedy_decoding_gets_right():
    checkpoint = load_shipped("everyday-paper-0")
    model, cut = checkpoint.model, (Part("decoder.layers.1.cross_attn", 0),)
    few = [
        make_example(checkpoint.info.tokenizers, pair.source, pair.target)
        for pair in load_held_out("everyday")[:16]
    ]
    right = [rewrite(model, e.source, [cut])[0] == e.target[1:] for e in few]
    found = [group_sweep(model, [e], [cut]).right.item() for e in few]
    assert found == right
    assert 0 < sum(right) < len(few)


@pytest.mark.parametrize("how", ["anything", "Zero", "uniform", ""])
def test_what_takes_the_place_of_a_cut_is_one_of_three(how):
    with pytest.raises(ValueError, match=f"^how must be 'zero', 'mean' or 'even', got {how!r}$"):
        check_how(how)
    for known in ("zero", "mean", "even"):
        check_how(known)


def test_options_name_what_was_given_and_what_there_is():
    check_choice("side", None, ("source", None))
    with pytest.raises(ValueError, match=r"^side must be 'source', got \[1\]$"):
        check_choice("side", [1], ("source",))
    check_positions("at", (-3, 2), 3)
    for place in (3, -4):
        with pytest.raises(ValueError, match=f"^at must hold positions from -3 to 2, got {place}$"):
            check_positions("at", (0, place), 3)
