"""Checkpoints: damaged bits, cut ends, other values in the JSON, with a digest that is right."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from model.checkpoint import CheckpointError, load_checkpoint, read_info
from model.text import UnreadableTextError
from qa.fuzz.area import Area, Verdict
from qa.fuzz.damage import byte_edits, damaged, edited, json_edits
from qa.fuzz.models import SHIPPED
from qa.fuzz.outgoing import check_html, check_json, check_message
from viz.frame.output import written
from viz.frame.typed import vocabulary
from viz.frame.words import own_title
from viz.pictures import tokens
from viz.run.head_summary import metrics_by_head
from viz.run.parcel import pack_measures, pack_run
from viz.run.record import make_run

_MODELS = ("digits-paper", "induction-one-layer", "brackets")
"""Small ones: words, a decoder alone, characters."""
_TEXTS = {"digits-paper": "sort 2 1", "induction-one-layer": "a b a", "brackets": "([]"}
_HEADER = 8
Damage = tuple[str, str, list[Any]]


@cache
def files(name: str) -> tuple[bytes, bytes]:
    """Give the bytes of the JSON and of the weights."""
    path = SHIPPED / name
    return path.with_suffix(".json").read_bytes(), path.with_suffix(".safetensors").read_bytes()


def open_area(place: Path) -> Area:
    """Draw a model, which of its files is damaged and how, and what is done to it."""
    names = st.sampled_from(_MODELS)
    per_name = [
        st.one_of(
            st.tuples(st.just(name), st.just("json bytes"), byte_edits()),
            st.tuples(st.just(name), st.just("weights bytes"), byte_edits()),
            st.tuples(st.just(name), st.just("weights bytes, signed"), byte_edits()),
            *[
                st.tuples(st.just(name), st.just("json, signed"), json_edits(_info(name)))
                for _ in range(3)
            ],
            st.tuples(st.just(name), st.just("header, signed"), json_edits(_split(name)[0])),
        )
        for name in _MODELS
    ]
    exchanged = st.tuples(names, st.just("exchanged"), names.map(lambda name: [name]))
    drawn = st.one_of(*per_name, exchanged)
    return Area("checkpoints", drawn, lambda given: check(place, given), share=500, seconds=20.0)


def check(place: Path, given: Damage) -> Verdict:
    """Write the damaged pair, and load and run it as the app would."""
    name, _, _ = given
    text, weights = _damage(given)
    path = place / "model"
    path.with_suffix(".json").write_bytes(text)
    path.with_suffix(".safetensors").write_bytes(weights)
    try:
        info = read_info(path)
        check_html(tokens.note(own_title(info.title, None)), "a title")
        check_json(vocabulary(info), "the words that it knows")
        checkpoint = load_checkpoint(path)
    except CheckpointError as error:
        check_message(error)
        check_html(tokens.notice("x", str(error)), "a refusal")
        return "refused"
    try:
        run = make_run(checkpoint, _TEXTS[name])
    except UnreadableTextError as error:
        check_message(error)
        return "refused"
    check_json(pack_run(run, "key").said["meta"], "a run")
    check_json(pack_measures(metrics_by_head(run, None), "key"), "its measures")
    check_html(written(run), "what was written")
    return "accepted"


def _damage(given: Damage) -> tuple[bytes, bytes]:
    name, what, edits = given
    text, weights = files(name)
    match what:
        case "json bytes":
            return damaged(text, edits), weights
        case "weights bytes":
            return text, damaged(weights, edits)
        case "weights bytes, signed":
            weights = damaged(weights, edits)
            return _signed(_info(name), weights), weights
        case "json, signed":
            return _signed(edited(_info(name), edits), weights, keep=True), weights
        case "header, signed":
            header, rest = _split(name)
            data = json.dumps(edited(header, edits)).encode()
            weights = len(data).to_bytes(_HEADER, "little") + data + rest
            return _signed(_info(name), weights), weights
        case _:
            return text, files(edits[0])[1]


def _info(name: str) -> Any:
    return json.loads(files(name)[0])


def _split(name: str) -> tuple[Any, bytes]:
    weights = files(name)[1]
    end = _HEADER + int.from_bytes(weights[:_HEADER], "little")
    return json.loads(weights[_HEADER:end]), weights[end:]


def _signed(values: Any, weights: bytes, *, keep: bool = False) -> bytes:
    """Write a JSON with the digests that it would have, were it meant so."""
    if isinstance(values, dict):
        values = {name: value for name, value in values.items() if name != "json_sha256"}
        if not keep:
            values["sha256"] = hashlib.sha256(weights).hexdigest()
        plain = json.dumps(values, sort_keys=True, separators=(",", ":"))
        values["json_sha256"] = hashlib.sha256(plain.encode()).hexdigest()
    return json.dumps(values).encode()
