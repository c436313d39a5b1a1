"""Measurements of models of one text, third-party ones included, equal those of each text alone."""

import hashlib
import itertools
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

import loupe
from model.checkpoints.errors import CheckpointError
from model.foreign.huggingface import Opened, record_folder
from model.foreign.opening import describe_model, identity, open_model
from sample_data.one_text.tasks import load_held_out_texts
from sample_data.pairs import Pair
from tests.checkpoints import SHIPPED
from tests.model.foreign.hub.entries import write_entry
from tests.model.foreign.huggingface.families import _TINY, DECODERS, _new
from tests.model.foreign.imports.folders import byte_tokenizer
from viz.corpus.__main__ import main
from viz.corpus.atlas import Atlas
from viz.corpus.measure import Measurer
from viz.corpus.store import Store
from viz.corpus.tables import SCHEMAS
from viz.frame import atlases
from viz.heads.head_summary import METRICS, metrics_by_head
from viz.heads.jobs import JOBS, job_names
from viz.run.making import make_run

FIRST = 40
HEAD = ["kind", "layer", "head"]
WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "and", "sleeps"]
FOREIGN = (
    "the fox jumps over the lazy dog",
    "the quick brown fox sleeps and the quick brown dog sleeps",
    "a dog jumps over a fox",
    "the dog sleeps",
)


@pytest.fixture(autouse=True)
def _without_gradients():
    with torch.no_grad():
        yield


def word_tokenizer() -> Tokenizer:
    """Make a tokenizer like BERT's: words, special tokens around a text, and a mask token."""
    special = ("[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]")
    ids = {token: i for i, token in enumerate((*special, *WORDS))}
    made = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    made.add_special_tokens(list(special))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return made


def save(folder: Path, build: Callable[[], nn.Module], tokenizer: Tokenizer) -> Path:
    """Write a transformers model with sharp weights in the layout of a downloaded folder."""
    torch.manual_seed(0)
    model = build()
    model.resize_token_embeddings(tokenizer.get_vocab_size())
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.25)
    model.save_pretrained(folder)
    (folder / "tokenizer.json").write_text(tokenizer.to_str())
    (folder / "tokenizer_config.json").write_text(json.dumps({"mask_token": "[MASK]"}))
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("models")
    bert, electra = (
        _new(f"{name}ForMaskedLM", f"{name}Config", **_TINY, **more)
        for name, more in (("Bert", {}), ("Electra", {"embedding_size": 32}))
    )
    return {
        "gpt2": save(root / "gpt2", DECODERS["GPT-2"], byte_tokenizer()),
        "qwen3": save(root / "qwen3", DECODERS["Qwen3"], byte_tokenizer()),
        "bert": save(root / "bert", bert, word_tokenizer()),
        "electra": save(root / "electra", electra, word_tokenizer()),
        "bare": save(root / "bare", _new("BertModel", "BertConfig", **_TINY), word_tokenizer()),
    }


@pytest.fixture(scope="module")
def opened(folders) -> Callable[[str], Opened]:
    """Return a function that opens each model by its name, once."""
    found: dict[str, Opened] = {}

    def by_name(name: str) -> Opened:
        if name not in found:
            path = folders.get(name.removesuffix(" recorded"), SHIPPED / name)
            found[name] = (record_folder if "recorded" in name else open_model)(path)
        return found[name]

    return by_name


def texts_of(model: Opened) -> list[str]:
    """Return texts of several lengths, some of the same length."""
    if not model.info.task:
        return list(FOREIGN)
    found = sorted((text.text for text in load_held_out_texts(model.info.task)), key=len)
    return [*found[:3], *found[100:104], found[-1]]


def measured(model: Opened, first: int = FIRST, *, cuts: bool = False) -> dict[str, pd.DataFrame]:
    pairs = [Pair(text, "", frozenset()) for text in texts_of(model)]
    tables = Measurer(model, cuts=cuts)(pairs, first)
    assert all(table.schema.equals(SCHEMAS[name]) for name, table in tables.items())
    return {name: table.to_pandas() for name, table in tables.items()}


DECODING = ("brackets", "induction-two-heads", "gpt2", "gpt2 recorded", "qwen3")
GUESSING = ("agreement", "bert", "bert recorded", "electra")
NAMES = (*DECODING, *GUESSING, "bare")


@pytest.mark.parametrize("name", NAMES)
def test_cells_and_tokens_are_those_of_each_text_alone(opened, name):
    model = opened(name)
    tables = measured(model)
    kind, stack = "encoder self-attention", "encoder"
    if name in DECODING:
        kind, stack = "decoder self-attention", "decoder"
    cells = tables["cells"].astype({"kind": str}).set_index(["sentence", *HEAD]).sort_index()
    assert {at[1] for at in cells.index} == {kind}
    seen = 0
    for number, text in enumerate(texts_of(model), FIRST):
        run = loupe.trace(model, text)
        names = run.names("*.weights")
        for layer, path in enumerate(names):
            assert path == f"{stack}.layers.{layer}.self_attn.weights"
            for head, weights in enumerate(run[path][0].double().numpy()):
                at = cells.loc[(number, kind, layer, head)].sort_values("query")
                rows = np.arange(len(weights))
                assert at["query"].tolist() == rows.tolist()
                np.testing.assert_allclose(at["weight"], weights.max(axis=1), atol=1e-5)
                np.testing.assert_allclose(weights[rows, at["key"]], weights.max(1), atol=1e-5)
                bits = np.log2(np.where(weights > 0, weights, 1))
                np.testing.assert_allclose(at["entropy"], -(weights * bits).sum(1), atol=1e-4)
                seen += len(at)
        side = "target" if name in DECODING else "source"
        tokens = tables["tokens"][tables["tokens"].sentence == number].sort_values("position")
        assert tokens["token"].tolist() == list(run.tokens._asdict()[side])
        assert set(tokens["side"]) == {side}
        about = tables["sentences"].set_index("sentence").loc[number]
        other = "n_source" if side == "target" else "n_target"
        assert (about[f"n_{side}"], about[other]) == (len(tokens), 0)
        assert (about["source"], about["target"]) == (text, "")
    assert seen == len(cells)


@pytest.mark.parametrize(
    ("name", "following"), [("agreement", ""), ("brackets", "("), ("gpt2", "a")]
)
def test_numbers_of_heads_are_those_of_the_app(opened, name, following):
    """The run gets one more token, which its last row would write, so its rows are the text."""
    model = opened(name)
    heads = measured(model)["heads"].astype({"kind": str}).set_index(["sentence", *HEAD])
    assert heads["gold"].isna().all()
    for number, text in enumerate(texts_of(model), FIRST):
        run = make_run(model, text, target=following)
        for kind, found in metrics_by_head(run, None).items():
            for metric in set(METRICS) - {"gold"}:
                for (layer, head), wanted in np.ndenumerate(found[metric]):
                    got = heads.loc[(number, kind, layer, head)][metric]
                    assert got == pytest.approx(wanted, abs=1e-5, nan_ok=True)


def test_special_tokens_are_told_from_words(opened):
    for name, special in (("bert", {"[CLS]", "[SEP]"}), ("brackets", {"<s>"})):
        tokens = measured(opened(name))["tokens"].astype(str)
        told = tokens.groupby("class")["token"].agg(set)
        assert told["special"] == special
        assert set(told.index) == {"special", "other"}


@pytest.mark.parametrize("name", DECODING)
def test_the_loss_is_of_the_next_token(opened, folders, name):
    model = opened(name)
    said = measured(model)["sentences"]
    folder = folders.get(name.removesuffix(" recorded"))
    theirs = folder and transformers.AutoModelForCausalLM.from_pretrained(folder)
    for text, loss, right in zip(texts_of(model), said["loss"], said["right"], strict=True):
        ids = torch.tensor([model.info.tokenizers.encode_prompt(text).ids])
        logits = theirs(ids).logits if theirs else model.model(None, ids).logits
        assert loss == pytest.approx(cross_entropy(logits[0, :-1], ids[0, 1:]).item(), abs=1e-4)
        assert right == (logits[0, :-1].argmax(-1) == ids[0, 1:]).all().item()


@pytest.mark.parametrize("name", GUESSING)
def test_the_loss_is_of_hidden_words_that_are_always_the_same(opened, folders, name):
    model = opened(name)
    said = measured(model)["sentences"]
    mask = model.info.tokenizers.source.specials.mask
    folder = folders.get(name.removesuffix(" recorded"))
    theirs = folder and transformers.AutoModelForMaskedLM.from_pretrained(folder)
    places = set()
    for text, loss, right in zip(texts_of(model), said["loss"], said["right"], strict=True):
        read = model.info.tokenizers.encode_source(text)
        words = [place for place, span in enumerate(read.spans) if span is not None]
        count = max(1, round(0.15 * len(words)))
        found = {}
        for hidden in map(list, itertools.combinations(words, count)):
            ids = torch.tensor([read.ids])
            ids[0, hidden] = mask
            logits = (theirs(ids).logits if theirs else model.model(ids, None).logits)[0, hidden]
            expected = torch.tensor(read.ids)[hidden]
            exact = (logits.argmax(-1) == expected).all().item()
            found[tuple(hidden)] = cross_entropy(logits, expected).item(), exact
        nearest = min(found, key=lambda hidden: abs(found[hidden][0] - loss))
        assert loss == pytest.approx(found[nearest][0], abs=1e-4)
        assert right == found[nearest][1]
        places.add(nearest)
    assert len(places) > 1
    measure = Measurer(model)
    for place, (text, loss) in enumerate(zip(texts_of(model), said["loss"], strict=True)):
        alone = measure([Pair(text, "", frozenset())], FIRST + place)["sentences"]
        assert alone["loss"][0].as_py() == pytest.approx(loss, abs=1e-5)


@pytest.mark.parametrize("name", ["induction-one-layer", "gpt2", "agreement"])
def test_cuts_are_what_the_model_predicts_without_a_head(opened, name):
    """With one masked word, the test accepts the word whose losses match for all heads at once."""
    model = opened(name)
    tables = measured(model, cuts=True)
    cuts = tables["cuts"].astype({"kind": str}).set_index(["sentence", *HEAD]).sort_index()
    site = model.anatomy.sites[0]
    assert len(cuts) == len(texts_of(model)) * site.layers * site.heads
    for number, text in enumerate(texts_of(model)[:3], FIRST):
        words, ids = text.split(), torch.tensor(model.info.tokenizers.encode_prompt(text).ids)
        choices: list[tuple[str, list[int], Tensor]] = [(text, [*range(len(ids) - 1)], ids[1:])]
        if name == "agreement":
            ids = torch.tensor(model.info.tokenizers.encode_source(text).ids)
            choices = [
                (" ".join([*words[:i], "<mask>", *words[i + 1 :]]), [i], ids[[i]])
                for i in range(len(words))
            ]
        found = []
        for read, rows, wanted in choices:
            told = []
            for layer, head in itertools.product(range(site.layers), range(site.heads)):
                edits = {f"{site.path(layer)}.heads[{head}]": torch.zeros_like}
                logits = loupe.trace(model, read, edits=edits)["logits"][0, rows]
                exact = (logits.argmax(-1) == wanted).all().item()
                told.append((cross_entropy(logits, wanted).item(), exact))
            found.append(np.array(told))
        got = cuts.loc[(number, site.name)][["loss", "right"]].to_numpy(float)
        assert min(np.abs(each - got).max() for each in found) < 1e-4
    assert cuts["loss"].std() > 0.01


def test_cuts_are_refused_where_no_head_can_be_cut(opened):
    for name in ("gpt2 recorded", "bare"):
        with pytest.raises(ValueError, match="measure this one without --cuts"):
            Measurer(opened(name), cuts=True)


def test_what_predicts_nothing_has_no_loss(opened):
    said = measured(opened("bare"))["sentences"]
    assert said["loss"].isna().all()
    assert not said["right"].any()
    gpt = Measurer(opened("gpt2"))([Pair("a", "", frozenset())])["sentences"].to_pandas()
    assert (gpt["n_target"][0], gpt["right"][0]) == (1, False)
    assert np.isnan(gpt["loss"][0])


def test_only_texts_of_a_task_of_loupe_are_known_to_be_unseen(opened):
    assert measured(opened("brackets"))["sentences"]["held_out"].all()
    many = [Pair(f"{text} {word}", "", frozenset()) for text in FOREIGN for word in WORDS]
    assert not Measurer(opened("bert"))(many)["sentences"].to_pandas()["held_out"].any()


def test_induction_is_found_by_its_job(opened):
    model = opened("induction-two-heads")
    names = job_names(model.info)
    tables = measured(model)
    rates = {}
    for name in ("reads_after_same", "reads_before"):
        jobs = tables["jobs"][tables["jobs"].job == names.index(name)]
        rows = jobs[["sentence", "query"]].drop_duplicates()
        cells = tables["cells"].merge(rows, on=["sentence", "query"])
        hits = cells.merge(jobs, on=["sentence", "query", "key"]).groupby(["layer", "head"]).size()
        rates[name] = hits / len(rows)
    assert rates["reads_after_same"].idxmax()[0] == 1
    assert rates["reads_after_same"].max() > 0.8
    assert rates["reads_before"].idxmax()[0] == 0
    assert rates["reads_before"].max() > 0.8


def test_jobs_are_those_of_the_kind_of_model(opened):
    later = {"reads_after", "reads_last"}
    assert set(job_names(opened("bert").info)) - set(job_names(opened("gpt2").info)) == later
    names = job_names(opened("bert").info)
    text = "the fox the dog a fox"
    jobs = Measurer(opened("bert"))([Pair(text, "", frozenset())])["jobs"].to_pandas()
    found = {
        name: set(map(tuple, jobs[jobs.job == number][["query", "key"]].to_numpy().tolist()))
        for number, name in enumerate(names)
    }
    n = len(text.split()) + 2  # [CLS] and [SEP]
    assert found == {
        "reads_before": {(row, row - 1) for row in range(1, n)},
        "reads_itself": {(row, row) for row in range(n)},
        "reads_after": {(row, row + 1) for row in range(n - 1)},
        "reads_first": {(row, 0) for row in range(1, n)},
        "reads_last": {(row, n - 1) for row in range(n - 1)},
        "reads_same_before": {(3, 1), (6, 2)},
        "reads_after_same": {(3, 2), (6, 3)},
    }
    assert job_names(describe_model(SHIPPED / "everyday-paper-0")) == tuple(j.name for j in JOBS)


def test_texts_that_cannot_be_run_are_left_out(opened):
    texts = ("fox " * 70, "fox", "", "fox fox")
    told = Measurer(opened("gpt2"))([Pair(text, "", frozenset()) for text in texts], 5)
    read = told["sentences"].to_pandas()
    assert (read["sentence"].tolist(), read["source"].tolist()) == ([5, 6], ["fox", "fox fox"])
    with pytest.raises(ValueError, match="1 to 64 tokens on each side; none of these 2 has"):
        Measurer(opened("gpt2"))([Pair(text, "", frozenset()) for text in texts[::2]])


def test_a_folder_is_told_by_its_weights(folders, tmp_path):
    weights = (folders["gpt2"] / "model.safetensors").read_bytes()
    assert identity(folders["gpt2"]) == hashlib.sha256(weights).hexdigest()
    shipped = (SHIPPED / "agreement.safetensors").read_bytes()
    assert identity(SHIPPED / "agreement") == hashlib.sha256(shipped).hexdigest()
    with pytest.raises(CheckpointError, match="this file does not exist"):
        identity(tmp_path / "nobody")


@pytest.mark.parametrize("name", ["agreement", "gpt2", "qwen3"])
def test_all_about_a_model_is_read_before_it_is_opened(opened, folders, name):
    path = folders.get(name, SHIPPED / name)
    assert describe_model(path).config == opened(name).info.config


@pytest.mark.parametrize("name", ["gpt2", "qwen3"])
def test_an_atlas_is_made_of_a_folder(folders, tmp_path, name):
    path = folders[name]
    (tmp_path / "mine.txt").write_text("\n".join(FOREIGN))
    given = ["--input", str(tmp_path / "mine.txt"), "--out", str(tmp_path)]
    assert main([str(path), *given]) == 0
    atlas = Atlas(Store.at(tmp_path) / path.name)
    assert (atlas.sentences, atlas.held_out, atlas.translates) == (4, 0, False)
    assert atlas.origin.sha256 == identity(path)
    assert atlas.origin.jobs == job_names(describe_model(path))
    assert {pick.source for pick in atlas.picked("sample", atlas.heads[0])} == set(FOREIGN)


def test_an_atlas_is_made_of_a_model_of_the_hugging_face_cache(folders, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    write_entry(tmp_path / "hub", "org/tiny", folder=folders["gpt2"])
    (tmp_path / "mine.txt").write_text("\n".join(FOREIGN))
    given = ["--input", str(tmp_path / "mine.txt"), "--out", str(tmp_path / "atlas")]
    assert main(["org/tiny", *given]) == 0
    assert Atlas(Store.at(tmp_path / "atlas") / "org--tiny").sentences == 4
    monkeypatch.setenv("LOUPE_MODELS", str(tmp_path / "hub"))
    monkeypatch.setenv("LOUPE_ATLAS", str(tmp_path / "atlas"))
    assert atlases.find("models/org/tiny").missing == ""
    with pytest.raises(SystemExit):
        main(["org/other", *given])
