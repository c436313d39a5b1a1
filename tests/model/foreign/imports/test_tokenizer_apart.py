"""A tokenizer runs in a process of its own, so a crash there ends one call and no more."""

import gc
import json
import os
import threading

import pytest

from model.foreign.imports import tokenizer_apart
from model.foreign.imports.tokenizer_apart import TokenizerApart, TokenizerError, run_apart
from model.foreign.imports.words import read_words
from qa.fuzz.rules import ENDLESS, SLOW, charsmap, replace, split, steps
from tests.model.foreign.imports.folders import byte_tokenizer

TEXT = "The quick fox"


def apart(**parts) -> TokenizerApart:
    return TokenizerApart(json.dumps(json.loads(byte_tokenizer().to_str()) | parts).encode())


def test_it_answers_as_the_tokenizer_does():
    read, own = apart(), byte_tokenizer()
    ids, tokens, spans = read.encode(TEXT)
    found = own.encode(TEXT)
    assert (ids, tokens, [tuple(span) for span in spans]) == (
        found.ids,
        found.tokens,
        found.offsets,
    )
    assert read.decode(ids) == TEXT
    assert read.find("<|endoftext|>") == 0
    assert read.find("no such token") is None
    assert read.look(3)["tokens"] == [own.id_to_token(id) for id in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [
        {"pre_tokenizer": split(SLOW)},
        {"decoder": steps("decoders", {"type": "Fuse"}, replace(SLOW, "b", "Regex"))},
    ],
)
def test_what_takes_for_ever_is_stopped_and_the_next_call_answered(parts, monkeypatch):
    monkeypatch.setattr(tokenizer_apart, "SECONDS", 1)
    read, text = apart(**parts), "a" * 1_600 + "c"
    ids = byte_tokenizer().encode(text).ids
    with pytest.raises(TokenizerError, match=r"took too long, or more than .* and was stopped"):
        read.encode(text) if "decoder" not in parts else read.decode(ids)
    with pytest.raises(TokenizerError, match="took too long"):  # the second call does not retry
        read.encode(text) if "decoder" not in parts else read.decode(ids)
    assert read._process is None
    assert read.encode("b")[0] == byte_tokenizer().encode("b").ids


TEXTS = ("ab", "abcdefé字 " * 20, "a" * 1_000)
HARMLESS = {"pre-tokenizer of signs of signs", "steps in steps", "words of any length"}
"""Tokenizers that end soon on these texts, with little output."""
STOPPED_ALIKE = {
    "normalizer that writes at every place", "normalizer of bytes of bytes",
    "decoder of doubled letters", "decoder that finds nothing everywhere",
    "decoder of words that nothing ends",
}  # fmt: skip
"""Tokenizers that the time limit stops, as it stops three similar ones that are tested here."""
STOPPED = (
    r"it (splits the text into|decodes the ids to) [\d,]+ (tokens|characters); Loupe reads at most "
    r"[\d,]+|"
    r"it has a token of [\d,]+ characters; Loupe reads at most 1,000|"
    r"the tokenizer took too long, or more than .* of memory, and was stopped"
)


def all_of(read: TokenizerApart) -> list[int]:
    """Ask a tokenizer for all its outputs for the texts; return their sizes."""
    read.look(340)
    sizes: list[int] = []
    for text in TEXTS:
        sizes += (len(read.encode(text, around=around)[0]) for around in (False, True))
        sizes.append(len(read.decode(byte_tokenizer().encode(text).ids)))
    return sizes


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs bounds on time and memory")
@pytest.mark.parametrize("name", sorted(ENDLESS.keys() - STOPPED_ALIKE))
def test_what_makes_too_much_is_refused_in_words_and_the_next_call_answered(name, monkeypatch):
    monkeypatch.setattr(tokenizer_apart, "SECONDS", 1)
    read = apart(**ENDLESS[name])
    if name in HARMLESS:
        assert max(all_of(read)) <= 2 * max(map(len, TEXTS))
    else:
        with pytest.raises(TokenizerError, match=STOPPED) as refused:
            all_of(read)
        assert len(str(refused.value)) < 200
    assert read.token(10**6) is None


@pytest.mark.parametrize(
    "name", ["post-processor of a million ids", "an added token of 10 MB", "steps in steps"]
)
def test_a_file_is_refused_when_it_is_opened_if_it_fails_on_two_letters(name):
    data = json.dumps(json.loads(byte_tokenizer().to_str()) | ENDLESS[name]).encode()
    if name in HARMLESS:
        assert read_words(data, {}, {}, vocab_size=340).encode("ab").ids
    else:
        with pytest.raises(ValueError, match=rf"^tokenizer\.json cannot be used.*({STOPPED})"):
            read_words(data, {}, {}, vocab_size=340)


@pytest.mark.skipif(os.name != "posix", reason="needs bounds on memory")
def test_what_takes_all_memory_ends_its_own_process(monkeypatch):
    monkeypatch.setattr(tokenizer_apart, "MEMORY", 400_000_000)
    table = {"type": "Precompiled", "precompiled_charsmap": charsmap({"a": "x" * 1_000_000})}
    read = apart(normalizer=table)
    with pytest.raises(TokenizerError, match="more than 400 MB of memory"):
        read.encode("a" * 200)
    assert read.encode("b")[0]


def test_threads_hear_their_own_answers():
    read, heard = apart(), dict[str, list[int]]()
    texts = [TEXT[: i + 1] for i in range(len(TEXT))]

    def ask(text: str) -> None:
        heard[text] = read.encode(text)[0]

    threads = [threading.Thread(target=ask, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == {text: byte_tokenizer().encode(text).ids for text in texts}


@pytest.mark.slow
def test_its_process_ends_with_it():
    read = apart()
    read.encode(TEXT)
    process = read._process
    assert process is not None
    assert process.poll() is None
    del read
    gc.collect()
    assert process.poll() is not None


def test_a_call_that_is_interrupted_leaves_no_answer_to_the_next(monkeypatch):
    read = apart()
    read.encode(TEXT)
    ask = tokenizer_apart._ask

    def interrupted(process, message):
        ask(process, message)
        raise KeyboardInterrupt

    monkeypatch.setattr(tokenizer_apart, "_ask", interrupted)
    with pytest.raises(KeyboardInterrupt):
        read.encode("fox")
    monkeypatch.undo()
    assert read.encode(TEXT)[0] == byte_tokenizer().encode(TEXT).ids


def test_a_process_that_cannot_be_started_is_told_in_words(monkeypatch):
    monkeypatch.setattr(tokenizer_apart, "sys", type("", (), {"executable": "/no/such/python"}))
    with pytest.raises(TokenizerError, match="cannot be started"):
        apart().encode(TEXT)


def test_one_file_is_run_once():
    data = byte_tokenizer().to_str().encode()
    first = run_apart(data)
    assert run_apart(bytes(bytearray(data))) is first
    assert run_apart(data + b" ") is not first
