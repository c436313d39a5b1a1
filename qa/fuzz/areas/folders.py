"""Folders of third-party models: config, tokenizer, index and weights, each damaged."""

import json
import os
import shutil
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from model.foreign.errors import FolderError
from model.foreign.finding import name_of
from model.foreign.imports.folder_files import CONFIG, INDEX, TOKENIZER, TOKENIZER_CONFIG, WEIGHTS
from model.foreign.imports.load import open_folder, plan_folder
from qa.audit.foreign import SOURCE, write_models
from qa.fuzz.area import Area, Verdict
from qa.fuzz.damage import byte_edits, damaged, edited, json_edits
from qa.fuzz.hostile import short_texts
from qa.fuzz.outgoing import check_html, check_json, check_message, check_text
from qa.fuzz.rules import ENDLESS, ODD
from viz.frame.output import written
from viz.pictures import tokens
from viz.run.making import make_run
from viz.run.payload import pack_run

_HEADER = 8
_TOKENS = ("bos_token", "eos_token", "pad_token", "unk_token", "mask_token", "auto_map")
_PLACES = ("model.safetensors", "../x.safetensors", "/etc/passwd", "a.bin", "")


def open_area(place: Path) -> Area:
    """Write a GPT-2 and a Llama; draw one of them, a file, and its damage."""
    originals = place / "originals"
    write_models(originals)
    names = sorted(path.name for path in originals.iterdir())
    texts = st.one_of(st.just(SOURCE), short_texts(), st.just("a" * 1_600 + "c"))
    return Area(
        "folders",
        st.one_of(*[_damages(originals, name, texts) for name in names]),
        lambda given: check(place, given),
        share=300,
        seconds=20.0,
    )


def _damages(originals: Path, name: str, texts: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    folder = originals / name
    values = {file: json.loads((folder / file).read_bytes()) for file in (CONFIG, TOKENIZER)}
    header, _ = _split(folder)
    odd = [(part, number) for part, ruled in ODD.items() for number in range(len(ruled))]
    rules = st.lists(st.sampled_from(odd), min_size=1, max_size=3).map(tuple)
    index = st.dictionaries(
        st.one_of(st.sampled_from(sorted(header)), short_texts()),
        st.one_of(st.sampled_from(_PLACES), short_texts()),
        max_size=4,
    )
    token = st.one_of(st.sampled_from(("<s>", None, 1, {"content": "<s>"}, [])), short_texts())
    about = st.dictionaries(st.sampled_from(_TOKENS), token)
    whats = st.one_of(
        st.tuples(st.just("json"), st.just(CONFIG), json_edits(values[CONFIG])),
        st.tuples(st.just("json"), st.just(TOKENIZER), json_edits(values[TOKENIZER])),
        st.tuples(st.just("header"), st.just(WEIGHTS), json_edits(header)),
        st.tuples(st.just("bytes"), st.sampled_from((CONFIG, TOKENIZER, WEIGHTS)), byte_edits()),
        st.tuples(st.just("rule"), st.just(TOKENIZER), rules),
        st.tuples(st.just("endless"), st.just(TOKENIZER), st.sampled_from(sorted(ENDLESS))),
        st.tuples(st.just("index"), st.just(INDEX), index),
        st.tuples(st.just("new"), st.just(TOKENIZER_CONFIG), about),
        st.tuples(
            st.sampled_from(("gone", "link", "pipe")),
            st.sampled_from((CONFIG, TOKENIZER, WEIGHTS)),
            st.none(),
        ),
    )
    return st.tuples(st.just(name), whats, texts)


@cache
def _split(folder: Path) -> tuple[Any, bytes]:
    weights = (folder / WEIGHTS).read_bytes()
    end = _HEADER + int.from_bytes(weights[:_HEADER], "little")
    return json.loads(weights[_HEADER:end]), weights[end:]


def check(place: Path, given: tuple[str, tuple[str, str, Any], str]) -> Verdict:
    """Write the damaged folder, open it and run a text, as the app would."""
    name, (what, file, how), text = given
    folder = place / "models" / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(place / "originals" / name, folder)
    _damage(folder, what, file, how)
    try:
        plan_folder(folder)
        checkpoint = open_folder(folder)
        check_html(tokens.note(name_of(folder)), "the name")
        run = make_run(checkpoint, text)
        words = checkpoint.info.tokenizers.target
        check_text(words.decode(range(words.vocab_size)), "what all tokens are written as")
    except FolderError as error:
        check_message(error)
        check_html(tokens.notice("x", str(error)), "a refusal")
        return "refused"
    except ValueError as error:  # the tokens of the text
        check_message(error)
        return "refused"
    check_json(pack_run(run, "key").said["meta"], "a run")
    check_html(written(run), "what was written")
    return "accepted"


def _damage(folder: Path, what: str, file: str, how: Any) -> None:
    path = folder / file
    if what == "json":
        path.write_text(json.dumps(edited(json.loads(path.read_bytes()), how)), "utf-8")
    elif what in ("rule", "endless"):
        odd = {part: ODD[part][number] for part, number in how} if what == "rule" else ENDLESS[how]
        path.write_text(json.dumps(json.loads(path.read_bytes()) | odd), "utf-8")
    elif what == "header":
        header, rest = _split(folder.parents[1] / "originals" / folder.name)
        data = json.dumps(edited(header, how)).encode()
        path.write_bytes(len(data).to_bytes(_HEADER, "little") + data + rest)
    elif what == "bytes":
        path.write_bytes(damaged(path.read_bytes(), how))
    elif what == "index":
        (folder / WEIGHTS).rename(folder / "a.safetensors")
        path.write_text(json.dumps({"weight_map": how}), "utf-8")
    elif what == "new":
        path.write_text(json.dumps(how), "utf-8")
    else:
        path.unlink()
        if what == "link":
            path.symlink_to("/etc/hostname")
        elif what == "pipe":
            os.mkfifo(path)
