"""Patching, ablation and attribution by public names agree with hooks on transformers' own code."""

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor, nn
from transformers import GPT2Config, GPT2LMHeadModel

import loupe
from model.checkpoints.checkpoint import Checkpoint
from tests.checkpoints import load_shipped
from tests.closeness import room, worst
from tests.loupe.test_foreign import sharp

CLEAN = "When Mary and John went to the store, John gave a drink to"
CORRUPT = "When Mary and John went to the store, Mary gave a drink to"
NAMES = (" Mary", " John")
LAYERS, HEADS, SIZE = 2, 4, 8


def bytes_of(*texts: str) -> Tokenizer:
    """Return a tokenizer like GPT-2's that knows the words of some texts."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        special_tokens=["<|endoftext|>"], initial_alphabet=letters, show_progress=False
    )
    made.train_from_iterator([text for text in texts for _ in range(9)], trainer)
    return made


def save_gpt2(folder: Path) -> tuple[nn.Module, Tokenizer]:
    """Save a GPT-2 with random weights in the format of transformers."""
    words = bytes_of(CLEAN, CORRUPT)
    config = GPT2Config(
        n_embd=HEADS * SIZE,
        n_layer=LAYERS,
        n_head=HEADS,
        n_positions=40,
        vocab_size=words.get_vocab_size(),
        bos_token_id=0,
        eos_token_id=0,
    )
    model = sharp(lambda: GPT2LMHeadModel(config)).eval()
    for module in model.modules():
        if isinstance(module, nn.LayerNorm):
            nn.init.ones_(module.weight)
    loupe.save(model, words, folder)
    return model, words


class Theirs:
    """The model as transformers runs it, and the tests' hooks on it."""

    def __init__(self, folder: Path) -> None:
        self.model: Any
        self.model, self.words = save_gpt2(folder)
        self.answer, self.other = (self.words.token_to_id(f"Ġ{n.strip()}") for n in NAMES)

    def ids(self, text: str) -> Tensor:
        return torch.tensor([self.words.encode(text).ids])

    def lead(self, text: str) -> Tensor:
        last = self.model(self.ids(text)).logits[0, -1]
        return last[self.answer] - last[self.other]

    def number(self, text: str) -> float:
        with torch.no_grad():
            return float(self.lead(text))

    def kept(self, module: nn.Module, text: str) -> Tensor:
        """Return the input of a module."""
        found: list[Tensor] = []
        with before(module, lambda x: found.append(x) or x), torch.no_grad():
            self.model(self.ids(text))
        return found[0]


@contextmanager
def before(module: nn.Module, change: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Change the input of a module."""
    handle = module.register_forward_pre_hook(lambda _, given: (change(given[0]), *given[1:]))
    yield
    handle.remove()


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Theirs:
    return Theirs(tmp_path_factory.mktemp("models") / "gpt2")


@pytest.fixture(scope="module")
def ours(theirs: Theirs, tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    poured = loupe.load(loupe.save(theirs.model, theirs.words, tmp_path_factory.mktemp("ours")))
    assert isinstance(poured, Checkpoint)
    return poured


def put(new: Tensor, *place: int | slice) -> Callable[[Tensor], Tensor]:
    """Return a change that replaces one place of a tensor."""

    def change(now: Tensor) -> Tensor:
        now = now.clone()
        now[place] = new[place]
        return now

    return change


def of_head(head: int) -> slice:
    return slice(head * SIZE, (head + 1) * SIZE)


def test_a_state_is_put_in_place(theirs: Theirs, ours: Checkpoint) -> None:
    found = loupe.patch(ours, CLEAN, CORRUPT, NAMES)
    assert found.axes == ("state", "position")
    assert found.labels[0][0] == "target_embedding.output"
    assert found.labels[0][-1] == "decoder.layers.1.output"
    assert "␣John/␣Mary" in found.labels[1]
    plain, goal = theirs.number(CORRUPT), theirs.number(CLEAN)
    assert (found.before, found.goal) == pytest.approx((plain, goal), abs=1e-4)
    differs = found.labels[1].index("␣John/␣Mary")
    blocks = [*theirs.model.transformer.h, theirs.model.transformer.ln_f]
    for depth, block in enumerate(blocks):
        clean = theirs.kept(block, CLEAN)
        for position in (0, differs, clean.size(1) - 1):
            with before(block, put(clean, 0, position)):
                by_hand = theirs.number(CORRUPT) - plain
            assert float(found.values[2 * depth, position]) == pytest.approx(by_hand, abs=1e-4)
    assert float(found.shares[-1, -1]) == pytest.approx(1, abs=1e-4)


def test_a_head_is_put_in_place(theirs: Theirs, ours: Checkpoint) -> None:
    found = loupe.patch(ours, CLEAN, CORRUPT, NAMES, of="heads")
    assert found.values.shape == (LAYERS, HEADS)
    plain = theirs.number(CORRUPT)
    for layer, block in enumerate(theirs.model.transformer.h):
        clean = theirs.kept(block.attn.c_proj, CLEAN)
        for head in range(HEADS):
            with before(block.attn.c_proj, put(clean, 0, slice(None), of_head(head))):
                by_hand = theirs.number(CORRUPT) - plain
            assert float(found.values[layer, head]) == pytest.approx(by_hand, abs=1e-4)


def test_where_a_head_looks_is_put_in_place(ours: Checkpoint) -> None:
    found = loupe.patch(ours, CLEAN, CORRUPT, NAMES, of="weights")
    clean = loupe.trace(ours, CLEAN)["decoder.layers.1.self_attn.weights"]
    ids = [ours.info.tokenizers.target.encode(name).ids[0] for name in NAMES]
    for head in range(HEADS):
        name = f"decoder.layers.1.self_attn.weights[{head}]"
        edits = {name: lambda _, head=head: clean[:, head]}
        answer, other = loupe.trace(ours, CORRUPT, edits=edits)["logits"][0, -1, ids].tolist()
        by_hand = answer - other - found.before
        assert float(found.values[1, head]) == pytest.approx(by_hand, abs=1e-4)


def test_a_gradient_gives_what_autograd_gives(theirs: Theirs, ours: Checkpoint) -> None:
    states = loupe.patch(ours, CLEAN, CORRUPT, NAMES, how="gradient")
    heads = loupe.patch(ours, CLEAN, CORRUPT, NAMES, of="heads", how="gradient")
    for depth, block in enumerate(theirs.model.transformer.h):
        for module in (block, block.attn.c_proj):
            clean, leaf = theirs.kept(module, CLEAN), theirs.kept(module, CORRUPT)
            leaf = leaf.requires_grad_()
            with before(module, lambda _, leaf=leaf: leaf):
                slope = torch.autograd.grad(theirs.lead(CORRUPT), leaf)[0]
            change = ((clean - leaf) * slope)[0].detach()
            if module is block:
                assert torch.allclose(states.values[2 * depth], change.sum(1), atol=1e-4)
            else:
                by_head = change.sum(0).view(HEADS, SIZE).sum(1)
                assert torch.allclose(heads.values[depth], by_head, atol=1e-4)


def test_a_head_and_a_sublayer_are_cut(theirs: Theirs, ours: Checkpoint) -> None:
    found = loupe.ablate(ours, CLEAN, NAMES)
    means = loupe.ablate(ours, CLEAN, NAMES, how="mean")
    assert found.labels[0][:2] == ("decoder.layers.0.self_attn", "decoder.layers.0.feed_forward")
    plain = theirs.number(CLEAN)
    for layer, block in enumerate(theirs.model.transformer.h):
        module = block.attn.c_proj
        was = theirs.kept(module, CLEAN)
        mean = was.mean(dim=1, keepdim=True).expand_as(was)
        for effects, new in ((found, torch.zeros_like(was)), (means, mean)):
            for head in range(HEADS):
                with before(module, put(new, 0, slice(None), of_head(head))):
                    by_hand = theirs.number(CLEAN) - plain
                assert float(effects.values[2 * layer, head]) == pytest.approx(by_hand, abs=1e-4)
        handle = block.mlp.register_forward_hook(lambda *given: torch.zeros_like(given[-1]))
        by_hand = theirs.number(CLEAN) - plain
        handle.remove()
        assert float(found.values[2 * layer + 1, -1]) == pytest.approx(by_hand, abs=1e-4)
    assert found.values[1::2, :-1].isnan().all()
    assert not found.values[::2].isnan().any()


def test_a_mean_is_over_every_position_of_all_texts(theirs: Theirs, ours: Checkpoint) -> None:
    other = "John gave Mary the store"
    found = loupe.ablate(ours, CLEAN, NAMES, how="mean", dataset=[CLEAN, other])
    plain = theirs.number(CLEAN)
    for layer, block in enumerate(theirs.model.transformer.h):
        module = block.attn.c_proj
        was = theirs.kept(module, CLEAN)
        both = torch.cat([was, theirs.kept(module, other)], dim=1)
        assert both.size(1) != 2 * was.size(1)
        mean = both.mean(dim=1, keepdim=True).expand_as(was)
        for head in range(HEADS):
            with before(module, put(mean, 0, slice(None), of_head(head))):
                by_hand = theirs.number(CLEAN) - plain
            assert float(found.values[2 * layer, head]) == pytest.approx(by_hand, abs=1e-4)


def test_the_lens_reads_each_depth_as_the_last(theirs: Theirs, ours: Checkpoint) -> None:
    run = loupe.trace(ours, CLEAN)
    found = loupe.lens(ours, run)
    whole = theirs.model.transformer
    with torch.no_grad():
        for depth, block in enumerate((*whole.h, whole.ln_f)):
            by_hand = theirs.model.lm_head(whole.ln_f(theirs.kept(block, CLEAN)))[0]
            assert torch.allclose(found.logits[depth], by_hand, atol=1e-4)
    check_last_depth(found, run)
    last = loupe.lens(ours, run, rows=[-1])
    assert torch.allclose(last.logits, found.logits[:, -1:], atol=1e-5)
    token, share = found.top(3)[-1][-1][0]
    best = int(run["logits"][0, -1].argmax())
    assert token == ours.info.tokenizers.target.token(best)
    assert share == pytest.approx(float(run["logits"][0, -1].softmax(-1)[best]), abs=1e-6)
    assert f"{token} {share:.3f}" in repr(found).splitlines()[-1]


def test_the_parts_of_a_logit_sum_to_it(theirs: Theirs, ours: Checkpoint) -> None:
    run = loupe.trace(ours, CLEAN)
    one = loupe.logit_attribution(ours, run, NAMES[0])
    lead = loupe.logit_attribution(ours, run, *NAMES)
    with torch.no_grad():
        logits = theirs.model(theirs.ids(CLEAN)).logits[0, -1]
    assert float(one.values.sum()) == pytest.approx(float(logits[theirs.answer]), abs=1e-4)
    assert float(lead.values.sum()) == pytest.approx(theirs.number(CLEAN), abs=1e-4)
    assert float(lead.shares.sum()) == pytest.approx(1, abs=1e-4)
    names = one.labels[0]
    assert {"target_embedding.tokens", "decoder.layers.1.self_attn.heads[3]"} <= set(names)


def test_a_translator_is_patched_behind_what_it_has_written() -> None:
    model = load_shipped("everyday-paper-0")
    sentence = "the animal did not cross the street because it was too {} ."
    clean, corrupt = (sentence.format(word) for word in ("tired", "wide"))
    said = "l'animal n'a pas traversé la rue parce qu'"
    found = loupe.patch(model, clean, corrupt, ("il", "elle"), target=said)
    run = loupe.trace(model, clean, target=said)
    name, at = "encoder.layers.0.output", run.tokens.source.index("tired")

    def change(state: Tensor) -> Tensor:
        state = state.clone()
        state[:, at] = run[name][:, at]
        return state

    words = model.info.tokenizers.target
    ids = [words.encode(word).ids[0] for word in ("il", "elle")]
    leads = [
        each["logits"][0, -1, ids]
        for each in (
            loupe.trace(model, corrupt, target=said, edits={name: change}),
            loupe.trace(model, corrupt, target=said),
            run,
        )
    ]
    patched, before, goal = (float(answer - other) for answer, other in leads)
    assert (found.before, found.goal) == pytest.approx((before, goal), abs=1e-4)
    assert goal > 1 > -1 > before
    row, column = found.labels[0].index(name), found.labels[1].index("tired/wide")
    assert float(found.values[row, column]) == pytest.approx(patched - before, abs=1e-4)
    written = loupe.patch(model, clean, corrupt, ("il", "elle"), target=said, side="target")
    assert len(written.labels[1]) == len(run.tokens.target) - 1
    assert float(written.shares[-1, -1]) == pytest.approx(1, abs=1e-4)


def test_an_encoder_alone_is_patched_and_read() -> None:
    model = load_shipped("agreement")
    clean, corrupt = "the cats near the dog", "the cat near the dog"
    found = loupe.patch(model, clean, corrupt, lambda logits: logits[1, 5], of="heads")
    run, name = loupe.trace(model, clean), "encoder.layers.1.self_attn.heads"
    for head in range(model.model.config.n_heads):
        edits = {f"{name}[{head}]": lambda _, head=head: run[name][:, head]}
        by_hand = float(loupe.trace(model, corrupt, edits=edits)["logits"][0, 1, 5])
        assert float(found.values[1, head]) == pytest.approx(by_hand - found.before, abs=1e-4)
    check_last_depth(loupe.lens(model, run), run)
    with pytest.raises(ValueError, match="this model has none"):
        loupe.logit_attribution(model, run, 5)
    with pytest.raises(ValueError, match="cannot write: it has no decoder"):
        loupe.generate(model, clean)


def test_what_has_no_partner_is_no_number() -> None:
    model = load_shipped("digits-paper")
    found = loupe.patch(model, "3 1 4", "3 1 4 5", lambda logits: logits[0, 5])
    assert found.values[:, 3].isnan().all()
    assert "nan" not in repr(found)


def test_effects_name_the_strongest_first() -> None:
    values = torch.tensor([[0.5, -2.0], [math.nan, 1.0]])
    found = loupe.Effects(values, ("layer", "head"), (("a", "b"), ("0", "1")), 1.0, 3.0)
    assert found.strongest(2) == ((-2.0, ("a", "1")), (1.0, ("b", "1")))
    assert repr(found).splitlines()[:2] == [
        "2 layer x 2 head; 1 before, 3 with all of it",
        "-2  a, 1",
    ]
    assert found.shares[0, 0] == 0.25
    with pytest.raises(ValueError, match="shares need a goal other than 1, got None"):
        _ = loupe.Effects(values, ("layer", "head"), found.labels, 1.0).shares


def test_an_edit_acts_while_a_decoder_writes(theirs: Theirs, ours: Checkpoint) -> None:
    """The reference computes the best next token in a pass of its own, again and again."""
    module = theirs.model.transformer.h[0].attn.c_proj
    edits = {"decoder.layers.0.self_attn.heads[1]": torch.zeros_like}

    def written(change: Callable[[Tensor], Tensor], most: int = 6) -> str:
        ids = theirs.ids(CLEAN)
        with before(module, change), torch.no_grad():
            for _ in range(most):
                ids = torch.cat([ids, theirs.model(ids).logits[:, -1:].argmax(-1)], dim=1)
        return ours.info.tokenizers.target.decode(ids[0, -most:].tolist())

    def off(x: Tensor) -> Tensor:
        return put(torch.zeros_like(x), slice(None), slice(None), of_head(1))(x)

    assert loupe.generate(ours, CLEAN, max_new_tokens=6) == written(lambda x: x)
    assert loupe.generate(ours, CLEAN, max_new_tokens=6, edits=edits) == written(off)
    assert written(off) != written(lambda x: x)
    positions = ours.model.config.max_length  # the last token is written but not read
    room = positions + 1 - theirs.ids(CLEAN).size(1)
    assert loupe.generate(ours, CLEAN, max_new_tokens=99) == written(lambda x: x, room)


def test_a_translator_writes_under_edits() -> None:
    model, text = load_shipped("everyday-paper-0"), "the small black cat sleeps ."
    off = {"decoder.layers.1.cross_attn.output": torch.zeros_like}
    for edits in ({}, off):
        assert (
            loupe.generate(model, text, edits=edits) == loupe.trace(model, text, edits=edits).text
        )


def test_what_cannot_be_asked_is_said(ours: Checkpoint, theirs: Theirs) -> None:
    with pytest.raises(ValueError, match="must have the same number of tokens, got 14 and 3"):
        loupe.patch(ours, CLEAN, "When Mary and", NAMES)
    with pytest.raises(ValueError, match="this model reads no source"):
        loupe.patch(ours, CLEAN, CORRUPT, NAMES, side="source")
    with pytest.raises(ValueError, match="must be in the vocabulary, got ' Zoe': "):
        loupe.ablate(ours, CLEAN, " Zoe")
    with pytest.raises(ValueError, match="a token must be 0 to"):
        loupe.ablate(ours, CLEAN, 10_000)
    with pytest.raises(TypeError, match="this module needs tokenizer="):
        loupe.ablate(theirs.model, CLEAN, 5)
    with pytest.raises(TypeError, match="all its tensors"):
        loupe.lens(ours, loupe.trace(ours, CLEAN, names="*.output"))


@pytest.mark.parametrize(
    ("option", "given", "offered"),
    [
        ("of", "head", "'stream', 'heads' or 'weights'"),
        ("of", None, "'stream', 'heads' or 'weights'"),
        ("how", "grad", "'exact' or 'gradient'"),
        ("how", "zero", "'exact' or 'gradient'"),
        ("side", "both", "'source', 'target' or None"),
        ("side", "", "'source', 'target' or None"),
    ],
)
def test_a_patch_refuses_what_is_no_option(ours, option, given, offered) -> None:
    with pytest.raises(ValueError, match=f"^{option} must be {offered}, got {given!r}$"):
        loupe.patch(ours, CLEAN, CORRUPT, NAMES, **{option: given})


@pytest.mark.parametrize("given", ["anything", "Zero", "uniform", "", None, ["zero"]])
def test_an_ablation_refuses_what_is_no_option(ours, given) -> None:
    said = f"how must be 'zero', 'mean' or 'even', got {given!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        loupe.ablate(ours, CLEAN, NAMES, how=given)


def test_a_folder_in_fewer_bits_says_so_and_its_effects_are_drawn(tmp_path: Path) -> None:
    model, words = save_gpt2(tmp_path)
    loupe.save(model.bfloat16(), words, tmp_path)
    short = loupe.load(tmp_path)
    assert repr(loupe.trace(short, CLEAN)).startswith(f"{tmp_path.name}: ")
    assert "Loupe's own model, in bfloat16." in repr(loupe.trace(short, CLEAN))
    for how in ("exact", "gradient"):
        assert "<html" in loupe.patch(short, CLEAN, CORRUPT, NAMES, of="heads", how=how).html()


def check_last_depth(found: loupe.Lens, run: loupe.Run) -> None:
    """Compare the last depth with the run's own logits."""
    logits = run["logits"][0]
    roundings = run["decoder.output" if "decoder.output" in run else "encoder.output"].size(-1)
    assert worst(found.logits[-1], logits, room(logits, 2 * roundings)) <= 1
