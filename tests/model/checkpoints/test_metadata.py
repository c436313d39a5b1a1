import json
import random
import re

import pytest

from model.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from model.checkpoints.checkpoint_files import read_info
from model.checkpoints.errors import CheckpointError
from tests.model.saving import edit_json, info_of, refusal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{", "the checkpoint is not JSON"),
        (b"", "the checkpoint is not JSON"),
        (b"\xff\xfe\xfa", "the checkpoint is not JSON"),
        (b"[" * 100_000, "the checkpoint is not JSON"),
        (b'{"a": NaN}', "the checkpoint is not JSON .JSON has no NaN"),
        (b"[1]", r"the checkpoint must be an object, got \[1\]"),
        (b"{}", "the checkpoint needs config, format_version, name, scores, sha256, task"),
    ],
)
def test_json_that_is_none(saved, text, message):
    saved.with_suffix(".json").write_bytes(text)
    assert re.search(f"tiny.json: {message}", refusal(saved))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format_version": 4}, "format_version must be from 1 to 3, got 4: a newer version of"),
        ({"format_version": 0}, "format_version must be from 1 to 3, got 0"),
        ({"format_version": 1}, "the checkpoint has no json_sha256"),
        ({"format_version": 10**99}, "format_version must be from 1 to 3, got 1000"),
        ({"json_sha256": None}, "the checkpoint needs json_sha256"),
        ({"config__mask_fill": 1e300}, "its config cannot be used: mask_fill must be within"),
        ({"config__mask_fill": -(10**400)}, "its config cannot be used"),
        ({"format_version": "1"}, "format_version of the checkpoint must be a whole number"),
        ({"title": None, "task": None}, "the checkpoint needs task, title"),
        ({"colour": "red"}, "the checkpoint has no colour"),
        ({"title": 3}, "title of the checkpoint must be a string, got 3"),
        ({"scores": []}, r"scores of the checkpoint must be an object, got \[\]"),
        ({"config__colour": 1}, "its config cannot be used: a config has no colour"),
        ({"config__dropout_at": 3}, "its config cannot be used"),
        ({"config__pad_id": 2}, "pad_id of the config must be 0, as in the tokenizers, got 2"),
        ({"tokenizers__shared": 3}, "its tokenizers cannot be used: shared of the tokenizers"),
        (
            {"config__source_vocab_size": 12, "config__target_vocab_size": 12},
            "size of the source tokenizer, got 12 and 11",
        ),
    ],
)
def test_information_that_cannot_be(saved, changes, message):
    edit_json(saved, **changes)
    found = refusal(saved)
    assert re.search(f"tiny.json: .*{message}", found)
    with pytest.raises(CheckpointError, match=re.escape(found)):
        read_info(saved)


def test_a_flipped_bit_of_the_json_changes_nothing_or_is_refused(saved):
    file = saved.with_suffix(".json")
    data, given = file.read_bytes(), json.loads(file.read_bytes())
    draw = random.Random(0)
    places = draw.sample(range(len(data)), 80)
    seen = {"refused": 0, "equal": 0}
    for place in places:
        for bit in range(8):
            flipped = bytearray(data)
            flipped[place] ^= 1 << bit
            file.write_bytes(flipped)
            try:
                read_info(saved)
            except CheckpointError:
                seen["refused"] += 1
            else:
                assert json.loads(bytes(flipped)) == given, (place, bit)
                seen["equal"] += 1
    assert seen["refused"] > 10 * seen["equal"]


def test_a_damaged_json_says_so(saved):
    file = saved.with_suffix(".json")
    file.write_text(file.read_text().replace("A tiny model", "A tidy model"))
    assert "tiny.json: its json_sha256 is not that of its contents" in refusal(saved)


def test_the_layout_of_the_json_is_free(saved):
    file = saved.with_suffix(".json")
    values = json.loads(file.read_text())
    file.write_text(json.dumps(dict(reversed(values.items())), indent=4) + "\r\n")
    assert load_checkpoint(saved).info.title == "A tiny model"


def test_keys_that_are_numbers_are_saved_as_they_are_read(model, tmp_path):
    record = {"by_step": {10: 0.1, 9: 0.2}}
    save_checkpoint(tmp_path / "x", model, info_of(model, training=record))
    assert read_info(tmp_path / "x").training == {"by_step": {"10": 0.1, "9": 0.2}}


def test_a_file_of_version_1_still_opens(saved):
    file = saved.with_suffix(".json")
    values = json.loads(file.read_text())
    del values["json_sha256"]
    file.write_text(json.dumps(values | {"format_version": 1}))
    loaded = load_checkpoint(saved)
    assert loaded.info.title == "A tiny model"
    save_checkpoint(saved, loaded.model, loaded.info)
    assert json.loads(file.read_text())["format_version"] == 3


HEAD = {"layer": 0, "head": 1, "all_tokens": 0.5, "content_words": None}
LOOK = {"layer": 0, "head": 0, "looks": 0.5, "previous": 0.5}


@pytest.mark.parametrize(
    ("part", "values", "message"),
    [
        ("training", {"steps": "3"}, "steps of training must be a whole number of at least 1, got"),
        ("training", {"warmup": 0}, "warmup of training must be a whole number of at least 1"),
        ("training", {"warmup": 10**400}, "warmup of training must be a whole number"),
        ("training", {"factor": []}, r"factor of training must be a positive number, got \[\]"),
        ("training", {"factor": True}, "factor of training must be a positive number, got True"),
        ("training", {"label_smoothing": 1}, "label_smoothing of training must be a number from 0"),
        ("training", {"cooldown": 5}, "training with cooldown needs steps"),
        (
            "training",
            {"cooldown": 5, "steps": 3},
            "cooldown of training must be at most its 3 steps, got 5",
        ),
        ("training", {"losses": "long"}, "losses of training must be a list of numbers, got long"),
        ("training", {"losses": [1, None]}, "losses of training must be a list of numbers"),
        (
            "training",
            {"losses": [1.0]},
            "training with losses needs step, loss_every, warmup",
        ),
        ("training", {"exact_matches": [[1]]}, r"exact_matches of training must be a list of \["),
        ("training", {"step": -1}, "step of training must be a whole number of at least 0, got -1"),
        ("scores", {"exact_match": "all", "loss": 1}, "exact_match of scores must be a number fro"),
        ("scores", {"exact_match": 0.5}, "scores with exact_match needs loss"),
        ("scores", {"loss": {}}, "loss of scores must be a number of at least 0, got {}"),
        ("scores", {"chance": 2}, "chance of scores must be a number from 0 to 1, or null, got 2"),
        ("scores", {"best_head": [1]}, r"best_head of scores must be an object with .*, got \[1\]"),
        ("scores", {"best_head": {"layer": "1", "head": 0}}, "best_head of scores must be"),
        ("scores", {"heads": {"0": HEAD}}, "heads of scores must be a list of objects"),
        ("scores", {"heads": [HEAD | {"all_tokens": None}]}, "heads of scores must be a list of"),
        ("scores", {"heads": [HEAD]}, "each of the 3 times 4 heads .* or none, got 1"),
        ("scores", {"heads": [HEAD] * 12}, "each of the 3 times 4 heads .* or none, got 12"),
        ("scores", {"right": 0.5}, "scores with right needs loss, kinds, looks"),
        ("scores", {"looks": [LOOK | {"looks": 2}]}, "looks of scores must be a list of objects"),
        (
            "scores",
            {"looks": [LOOK]},
            "looks of scores must list each of the 3 times 4 heads of sel",
        ),
        ("scores", {"kinds": [{"name": "far"}]}, "kinds of scores must be a list of objects with"),
        ("scores", {"other_loss": -1}, "other_loss of scores must be a number of at least 0, or n"),
    ],
)
def test_records_that_no_page_could_read_are_refused(model, saved, part, values, message):
    edit_json(saved, **{part: values})
    assert re.search(f"tiny.json: .*{message}", refusal(saved))
    with pytest.raises(CheckpointError, match=message):
        save_checkpoint(saved, model, info_of(model, **{part: values}))


def test_records_may_lack_everything_and_hold_more(model, saved):
    heads = [HEAD | {"layer": layer, "head": head} for layer in range(3) for head in range(4)]
    for scores in ({}, {"heads": []}, {"heads": heads, "best_head": None, "notes": ["mine"]}):
        save_checkpoint(saved, model, info_of(model, training={}, scores=scores))
        assert read_info(saved).scores == scores
