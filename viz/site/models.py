"""The models of a site: their names, their pages, and their files."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from model.checkpoints.errors import CheckpointError
from model.foreign.hub.cache import find_cached, snapshot_in
from model.foreign.hub.names import HubError, read_name
from model.foreign.imports.portable import pack_tokenizers
from model.foreign.imports.portable_rules import NotPortableError
from viz.frame.source_texts import default_source
from viz.models import opening, own_checkpoints, running, stamps
from viz.models.browser_weights import Bits, BrowserModelError, Part, weight_parts
from viz.models.folders import PREFIX, model_folders
from viz.models.weights import ABOUT, WEIGHTS, read_files, runs_in_browser
from viz.run.inputs import Inputs
from viz.run.view import View
from viz.run.wire import WireModel

PAGES = ("", "attention", "map", "touch", "masks", "decoding", "positions", "embeddings")
"""Paths of the site's pages that show a run, as in the app; the first one is Start."""
TOKENIZERS = "tokenizers.js"
"""The file that reads third-party tokenizers."""

_FOLDERS = "LOUPE_MODELS"


class SiteError(ValueError):
    """A model that cannot be part of a site."""


def named(given: str) -> str:
    """Return the name in the app of a model given on the command line.

    It may be a checkpoint, the folder of a third-party model, or a model of the user's Hugging Face
    cache. Any other name is returned unchanged.
    """
    if given in own_checkpoints.checkpoint_names():
        return given
    path = Path(given).expanduser()
    if not path.is_dir():
        try:
            found = find_cached(read_name(given))
        except HubError:
            return given
        if found is None:
            return given
        path = found.path
    path = snapshot_in(path).absolute()
    listed = os.environ.get(_FOLDERS, "")
    if path not in model_folders().values():
        os.environ[_FOLDERS] = os.pathsep.join(filter(None, (listed, str(path))))
    return next((name for name, each in model_folders().items() if each == path), given)


def address_of(name: str) -> str:
    """Return the path of a model's weights in the site."""
    return f"models/{re.sub(r'[^A-Za-z0-9._-]+', '-', name.removeprefix(PREFIX))}"


def is_third_party(name: str) -> bool:
    """Return whether a model's weights are written in parts, with its own tokenizers."""
    return name.startswith(PREFIX)


def open_view(name: str) -> View:
    """Run a model on its first text. Raises SiteError if no browser can run it."""
    info = opening.read_info(name)
    text = default_source(info)
    try:
        view = running.open_view(Inputs(name, text, "", "cpu"))
    except CheckpointError:
        raise
    except ValueError as error:  # such as a text without a known word
        raise SiteError(f"{name} cannot run the text “{text}”: {error}") from error
    if view.run.anatomy.is_recorded:
        raise SiteError(
            f"{name} runs in transformers' own code, which browsers cannot run; a site "
            "takes the families that Loupe implements, such as GPT-2, Llama, BERT and T5"
        )
    if not runs_in_browser(info.config, view.model.rules):
        raise SiteError(
            f"{name} has rules for writing that only transformers can apply, or it cannot write; "
            "the app itself opens it"
        )
    return view


def wire_model(name: str) -> WireModel:
    """Return the address of a model, and the form of its files."""
    found = WireModel(key=name, address=address_of(name))
    return {**found, "in_parts": True, "tokenizers": TOKENIZERS} if is_third_party(name) else found


def pages_of(view: View) -> list[str]:
    """Return the pages that can show a model: all of them for the paper's small translators."""
    anatomy = view.run.anatomy
    if anatomy.translates and not is_third_party(view.inputs.checkpoint):
        return [*PAGES]
    return ["attention", "map", *(["decoding"] if anatomy.writes else [])]


def own_files(name: str) -> dict[str, bytes]:
    """Return the files of one of Loupe's small models by their paths."""
    place, contents = address_of(name), read_files(stamps.stamp(name))
    return {place: contents[WEIGHTS], f"{place}.{ABOUT}": contents[ABOUT]}


def third_party_files(names: Sequence[str], bits: Bits = 8) -> Iterator[tuple[str, bytes]]:
    """Return the files of third-party models by their paths, each made on request.

    They may be large. Raises SiteError at once if the browser cannot hold one of the models or
    follow its tokenizers, so that no part of an impossible site is written.
    """
    return chain.from_iterable([_parts_of(name, bits) for name in names if is_third_party(name)])


def _parts_of(name: str, bits: Bits) -> Iterator[tuple[str, bytes]]:
    view = open_view(name)
    info = view.run.info
    try:
        texts = pack_tokenizers(info.tokenizers, info.config)
        weights = weight_parts(view.model, bits)
    except (NotPortableError, BrowserModelError) as error:
        raise SiteError(f"{name} cannot run in a browser: {error}") from error
    said = {"tokenizers": texts, "bits": bits}
    return _written(address_of(name), view, said, weights)


def _written(
    place: str, view: View, said: Mapping[str, Any], weights: Iterator[bytes]
) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of the weights, then the description of the model."""
    info, rules = view.run.info, view.model.rules
    parts: list[Part] = []
    for data in weights:
        yield f"{place}.{len(parts)}", data
        parts.append({"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    about = {
        "config": info.config.to_dict(),
        "rules": {"first": rules.first, "last": rules.last, "never": [*rules.never]},
        "parts": parts,
        **said,
    }
    yield f"{place}.{ABOUT}", json.dumps(about, ensure_ascii=False).encode()


def check_addresses(names: Sequence[str]) -> None:
    """Raise SiteError if two models would have the same files."""
    known: dict[str, str] = {}
    for name in names:
        if other := known.get(address_of(name)):
            raise SiteError(
                f"{other} and {name} would have the same name in the site; rename one folder"
            )
        known[address_of(name)] = name
