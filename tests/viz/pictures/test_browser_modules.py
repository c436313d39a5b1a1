"""The browser's modules: their names, and what each of them needs."""

import re
from pathlib import Path

import pytest
import streamlit as st

from viz.pictures.browser_modules import hash_of, imports_of, read_modules
from viz.pictures.component import picture
from viz.pictures.served import address, module_files

VIZ = Path(__file__).parents[3] / "viz"
LIBRARY = "pictures/browser/explorer.js"


def test_every_import_leads_to_a_module_that_is_served():
    modules = read_modules(VIZ)
    assert len(modules) > 40
    for name, code in modules.items():
        for wanted in re.findall(r'from "(\.[^"]+)"', code.decode()):
            path = (VIZ / name).parent.joinpath(wanted).resolve().relative_to(VIZ).as_posix()
            assert path in modules, f"{name} imports {wanted}"


def test_a_picture_asks_for_all_that_it_needs_at_once():
    page, lines = "pictures/browser/page.js", "subjects/attention/browser/lines.js"
    found = imports_of(page, lines)
    assert found[:2] == (page, lines)
    assert {LIBRARY, "pictures/browser/weights.js", "pictures/browser/elements.js"} <= set(found)
    assert len(found) == len(set(found))
    modules = read_modules(VIZ)
    for name in found:
        for wanted in re.findall(r'from "(\.[^"]+)"', modules[name].decode()):
            path = (VIZ / name).parent.joinpath(wanted).resolve().relative_to(VIZ).as_posix()
            assert path in found


def test_another_content_or_name_has_another_hash():
    one = {"a.js": b"let a;", "b.js": b""}
    assert hash_of(one) == hash_of(dict(reversed(one.items())))
    assert len({hash_of(m) for m in (one, one | {"a.js": b"let b;"}, {"a.js": b"let a;"})}) == 3


def test_the_address_stands_below_the_base_path(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": "/some/place/"}.get)
    assert address(LIBRARY).startswith("/some/place/loupe/")
    assert address(LIBRARY) in module_files()


def test_a_picture_of_a_module_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"must be one of those served, got 'no\.js'"):
        picture("nothing", "no.js")
