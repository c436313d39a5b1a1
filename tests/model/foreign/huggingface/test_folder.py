import json
import socket
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from model.edits import Edits
from model.foreign.errors import FolderError
from model.foreign.huggingface import RecordedFolder, record_folder
from model.traces import present
from tests.model.foreign.huggingface.families import write_family
from tests.model.foreign.imports.folders import byte_tokenizer, edit_config

WORDS = byte_tokenizer().get_vocab_size()


@pytest.fixture(autouse=True)
def _without_network_or_gradients(monkeypatch):
    def refuse(*_args):
        raise AssertionError("something asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with torch.no_grad():
        yield


@pytest.fixture(scope="module")
def gemma(tmp_path_factory) -> tuple[Path, torch.nn.Module]:
    folder = tmp_path_factory.mktemp("models") / "gemma"
    return folder, write_family(folder, "Gemma 2")


@pytest.fixture(scope="module")
def opened(gemma) -> RecordedFolder:
    return record_folder(gemma[0])


@pytest.fixture
def copied(gemma, tmp_path) -> Path:
    """Copy the folder for tests that damage it."""
    folder = tmp_path / "gemma"
    folder.mkdir()
    for file in gemma[0].iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


def test_computes_what_transformers_does(gemma, opened):
    ids = torch.tensor([opened.info.tokenizers.encode_prompt("The quick brown fox").ids])

    trace = opened.model(None, ids)

    assert_close(trace.logits, gemma[1](input_ids=ids).logits, atol=1e-5, rtol=1e-5)
    assert opened.model.differs < 1e-5
    assert opened.info.title == "gemma (Gemma2ForCausalLM)"


def test_writes_what_transformers_writes(gemma, opened):
    prompt = opened.info.tokenizers.encode_prompt("The dog").ids

    ids = opened.model.write(None, prompt, most=len(prompt) + 6, end=None)

    given = torch.tensor([prompt])
    theirs = gemma[1].generate(
        given, attention_mask=torch.ones_like(given), max_new_tokens=6, do_sample=False,
        eos_token_id=None, pad_token_id=0,
    )  # fmt: skip
    assert list(ids) == theirs[0].tolist()
    assert opened.model.write(None, prompt, most=99, end=ids[len(prompt)]) == ids[: len(prompt) + 1]


def test_edits_act_while_it_writes(opened):
    prompt = opened.info.tokenizers.encode_prompt("The dog").ids
    edits = Edits({"logits": lambda x: torch.nn.functional.one_hot(x.argmin(-1), WORDS).float()})

    plain = opened.model(None, torch.tensor([prompt])).logits[0, -1].argmin().item()

    assert opened.model.write(None, prompt, most=len(prompt) + 1, end=None, edits=edits) == (
        *prompt,
        plain,
    )


def test_its_anatomy_is_what_it_is(opened):
    anatomy, config = opened.anatomy, opened.model.config
    (site,) = anatomy.sites

    assert (anatomy.placement, anatomy.positions, anatomy.predicts) == ("both", "rotary", "target")
    assert (site.heads, site.kv_heads, site.d_k, site.layers) == (4, 2, 16, 3)
    assert site.causal
    assert site.window is None  # every second layer reads all tokens
    assert anatomy.vocabularies == (("target", WORDS),)
    assert (config.n_decoder_layers, config.n_encoder_layers) == (3, 0)
    assert (config.d_model, config.d_ff, config.n_kv_heads) == (32, 64, 2)


@pytest.mark.parametrize(
    ("name", "placement", "positions"),
    [
        ("NeoX", "parallel", "rotary"),
        ("GPT-OSS", "pre", "rotary"),
        ("ALBERT", "post", "learned"),
        ("Marian", "post", "sinusoidal_halves"),
        ("T5", "pre", "relative"),
    ],
)
def test_norms_and_positions_are_seen_in_the_values(name, placement, positions, tmp_path):
    model = write_family(tmp_path / "it", name)
    ids = torch.tensor([[5, 6, 7, 8]])

    opened = record_folder(tmp_path / "it")

    assert (opened.anatomy.placement, opened.anatomy.positions) == (placement, positions)
    if opened.anatomy.translates:
        expected = model(input_ids=ids, decoder_input_ids=ids[:, :2]).logits
        trace = opened.model(ids, ids[:, :2])
    elif opened.anatomy.writes:
        expected, trace = model(input_ids=ids).logits, opened.model(None, ids)
    else:
        expected, trace = model(input_ids=ids).logits, opened.model(ids, None)
    assert_close(present(trace.logits), expected, atol=1e-5, rtol=1e-5)
    assert any(site.sinks for site in opened.anatomy.sites) == (name == "GPT-OSS")


def test_one_stack_reads_one_text(opened):
    with pytest.raises(ValueError, match="reads a target and nothing else"):
        opened.model(torch.tensor([[1]]), None)


def test_fields_that_say_what_is_so_anyway_are_taken(copied):
    edit_config(
        copied,
        transformers_version="4.0.0",
        torch_dtype="bfloat16",
        _attn_implementation_autoset=True,
        _attn_implementation="flash_attention_2",
        output_scores=False,
        cache_implementation="hybrid",
        secret_scale=2.0,  # a field that no code reads
        to_dict="x",
    )

    assert record_folder(copied).model.config.n_heads == 4


def test_a_class_that_gives_no_tokens_is_recorded_without_its_head(gemma, copied):
    edit_config(copied, architectures=["Gemma2ForSequenceClassification"])
    weights = load_file(copied / "model.safetensors")
    save_file(weights | {"score.weight": torch.ones(2, 32)}, copied / "model.safetensors")
    ids = torch.tensor([[5, 6, 7, 8]])

    trace = record_folder(copied).model(None, ids)

    assert trace.logits is None
    expected = gemma[1].model(input_ids=ids).last_hidden_state
    assert_close(present(trace.decoder).output, expected, atol=1e-5, rtol=1e-5)


def test_fields_that_only_getattr_reads_are_handed_on(tmp_path):
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    sizes |= {"intermediate_size": 64, "vocab_size": WORDS, "position_buckets": 8}
    config = transformers.DebertaV2Config(**sizes, relative_attention=True)
    folder = tmp_path / "deberta"
    transformers.DebertaV2ForMaskedLM(config).save_pretrained(folder)
    (folder / "tokenizer.json").write_text(byte_tokenizer().to_str())

    assert record_folder(folder).model._model.config.position_buckets == 8


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"auto_map": {"AutoModel": "evil.Model"}}, "auto_map"),
        ({"_attn_implementation": "evil/kernel"}, "names code to download"),
        ({"quantization_config": {"load_in_4bit": True}}, "quantised"),
        ({"transformers_weights": "../other.safetensors"}, "sets transformers_weights"),
        ({"num_hidden_layers": 4, "layer_types": None}, "have no model.layers.3"),
        ({"num_hidden_layers": 2, "layer_types": None}, "have model.layers.2"),
        ({"num_hidden_layers": 10**6}, "at most 64"),
        ({"num_attention_heads": 10**6}, "at most 64"),
        ({"vocab_size": 10**7}, "at most 300,000"),
        ({"hidden_size": 10**12}, "at most"),
        ({"intermediate_size": 96}, "gemma: "),
        ({"hidden_activation": "evil"}, "gemma: "),
        ({"hidden_size": "wide"}, "does not describe a gemma2"),
        ({"layer_types": [{"a": 1}]}, "layer_types of config.json cannot be used"),
        ({"layer_types": [[[[["a"]]]]]}, "layer_types of config.json cannot be used"),
        ({"layer_types": [[10**9]]}, "layer_types of config.json cannot be used"),
        ({"model_type": "clip"}, "consists of several models"),
        ({"model_type": "none such"}, "must be a type that transformers knows"),
        ({"model_type": None}, "must be a type that transformers knows"),
        ({"architectures": ["PreTrainedModel"]}, "must be one of Gemma2ForCausalLM"),
    ],
)
def test_what_a_config_may_not_say(copied, changes, said):
    edit_config(copied, **changes)

    with pytest.raises(FolderError) as caught:
        record_folder(copied)

    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_index_that_leads_outside_is_not_followed(copied):
    weights = copied / "model.safetensors"
    weights.rename(copied.parent / "stolen.safetensors")
    index = {"metadata": {}, "weight_map": {"model.norm.weight": "../stolen.safetensors"}}
    (copied / "model.safetensors.index.json").write_text(json.dumps(index))

    with pytest.raises(FolderError, match="in the folder itself"):
        record_folder(copied)


def test_an_adapter_is_not_passed_over_in_silence(copied):
    (copied / "adapter_config.json").write_text("{}")

    with pytest.raises(FolderError, match="adapter"):
        record_folder(copied)


def test_weights_without_numbers_are_refused(gemma, copied):
    model = transformers.Gemma2ForCausalLM.from_pretrained(gemma[0])
    model.model.norm.weight[0] = torch.nan
    model.save_pretrained(copied)

    with pytest.raises(FolderError, match=r"got inf or nan in model\.norm\.weight"):
        record_folder(copied)
