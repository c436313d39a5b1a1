"""The process that runs a third-party tokenizer; it reads calls from its input and answers them.

Its arguments are the folder of the `tokenizers` package, the CPU seconds for each call, and the
bytes of memory for all calls. It imports nothing from Loupe, so it starts in a few hundredths of a
second. A call is its number of bytes followed by JSON; the first call has a whole tokenizer.json
instead of JSON. An answer has the same form.

If the first call is empty, the process instead makes such files: `AutoTokenizer` of transformers
reads all tokenizer files of a folder, and the process returns the rules.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import IO, Any

_TO_OPEN = 6
"""The factor of the time limit for the first call, and for all work of AutoTokenizer."""
LENGTH = 8
"""The number of bytes that hold the length of each message."""
_MOST_TOKENS = 100_000
"""The largest number of tokens of a text."""
_MOST_GROWTH, _MOST_ADDED = 256, 600
"""The largest number of tokens per byte of a text, or of characters per character of its tokens,
and a number added to both. NFKD, lower-casing and a SentencePiece table turn one byte into up to
181."""
_LONGEST_TOKEN = 1_000
"""The largest length in characters. Real vocabularies have tokens of about 256."""
_MOST_SHOWN = 200
"""The number of characters of a token that are sent."""
_MOST_WRITTEN = 1_000_000
"""The largest number of characters of a decoded text."""
_LARGEST_ID = 1 << 32
_LONGEST_PART = 4_000_000
_AFFIXES = ("continuing_subword_prefix", "end_of_word_suffix", "unk_token")


class Reader:
    """One tokenizer, which answers calls."""

    def __init__(self, data: bytes) -> None:
        import tokenizers

        self._tokenizer = tokenizers.Tokenizer.from_buffer(data)
        self._tokenizer.no_truncation()  # a text is read as a whole, or refused
        self._tokenizer.no_padding()

    def look(self, most: int) -> dict[str, Any]:
        """Return its decoder as JSON, its model's type, and the tokens of the first `most` ids."""
        tokenizer, model = self._tokenizer, self._tokenizer.model
        added = tokenizer.get_added_tokens_decoder()
        texts = [*tokenizer.get_vocab(), *(getattr(model, name, None) or "" for name in _AFFIXES)]
        longest = max(map(len, texts), default=0)
        if longest > _LONGEST_TOKEN:
            raise ValueError(
                f"it has a token of {longest:,} characters; Loupe reads at most {_LONGEST_TOKEN:,}"
            )
        return {
            "decoder": _as_json(tokenizer.decoder, "decoder"),
            "model": type(model).__name__,
            "tokens": [_cut(tokenizer.id_to_token(id)) for id in range(most)],
            "added": [[id, token.special] for id, token in added.items()],
        }

    def encode(self, text: str, around: bool) -> list[list[Any]]:
        """Return ids, tokens, and spans."""
        found = self._tokenizer.encode(text, add_special_tokens=around)
        most = min(_MOST_TOKENS, _MOST_GROWTH * len(text.encode()) + _MOST_ADDED)
        if len(found.ids) > most:
            raise ValueError(
                f"it splits the text into {len(found.ids):,} tokens; Loupe reads at most {most:,}"
            )
        return [found.ids, [_cut(token) for token in found.tokens], found.offsets]

    def decode(self, ids: list[int]) -> str:
        """Decode ids to text."""
        tokenizer = self._tokenizer
        text = tokenizer.decode(ids, skip_special_tokens=True)
        given = sum(len(tokenizer.id_to_token(id) or "") for id in ids)
        most = min(_MOST_WRITTEN, _MOST_GROWTH * given + _MOST_ADDED)
        if len(text) > most:
            raise ValueError(
                f"it decodes the ids to {len(text):,} characters; Loupe reads at most {most:,}"
            )
        return text

    def token(self, id: int) -> str | None:
        """Return the token of an id; None if it is unknown."""
        return _cut(self._tokenizer.id_to_token(id)) if 0 <= id < _LARGEST_ID else None

    def rules(self) -> str:
        """Return its rules as a tokenizer.json in the current format, with all fields."""
        return self._tokenizer.to_str()

    def find(self, token: str) -> int | None:
        """Return the id of a token; None if it is unknown."""
        return self._tokenizer.token_to_id(token)


class Maker:
    """AutoTokenizer, which turns a folder into a tokenizer.json that gives the same ids."""

    def __init__(self) -> None:
        os.environ["HF_HUB_OFFLINE"] = "1"
        sys.modules["torch"] = None  # type: ignore[assignment]  # it takes long, and memory
        from transformers import AutoTokenizer

        self._open = AutoTokenizer.from_pretrained

    def make(self, folder: str, probes: list[str]) -> dict[str, Any]:
        """Return the rules and the special tokens, or the reason why Loupe cannot follow them."""
        import tokenizers

        tokenizer = self._open(folder, local_files_only=True, trust_remote_code=False)
        rules, name = getattr(tokenizer, "_tokenizer", None), type(tokenizer).__name__
        if not isinstance(rules, tokenizers.Tokenizer):
            return {
                "refused": f"its {name} is Python code; Loupe can follow only the rules of the "
                "tokenizers library"
            }
        needed = sorted({"tokenizer.json", *tokenizer.vocab_files_names.values()})
        if not any((Path(folder) / file).exists() for file in needed):
            return {"refused": f"it has none of the files that {name} reads: {', '.join(needed)}"}
        said = rules.to_str()
        bare = tokenizers.Tokenizer.from_str(said)
        bare.no_truncation()
        bare.no_padding()
        for text in [*probes, *(f"a {token} b" for token in tokenizer.all_special_tokens[:9])]:
            if bare.encode(text).ids != list(tokenizer(text).input_ids):
                return {"refused": f"its {name} gives a text other ids than its rules do"}
        special = tokenizer.special_tokens_map.items()
        tokens = {key: str(token) for key, token in special if not isinstance(token, list | tuple)}
        cleans = tokenizer.clean_up_tokenization_spaces and type(rules.model).__name__ != "BPE"
        return {"rules": said, "tokens": tokens, "cleans": bool(cleans)}


def _as_json(part: Any, name: str) -> str | None:  # noqa: ANN401 - of a class of each kind
    if part is None:
        return None
    said = part.__getstate__()
    if len(said) > _LONGEST_PART:
        raise ValueError(
            f"its {name} has {len(said):,} bytes; Loupe reads at most {_LONGEST_PART:,}"
        )
    return said.decode()


def _cut(token: str | None) -> str | None:
    return token and token[:_MOST_SHOWN]


def main(calls: IO[bytes], answers: IO[bytes], seconds: int, memory: int) -> None:
    """Answer all calls until there are no more."""
    _bound_memory(memory)
    reader: Reader | Maker | None = None
    while head := calls.read(LENGTH):
        said = calls.read(int.from_bytes(head, "little"))
        _bound_time(seconds if isinstance(reader, Reader) else _TO_OPEN * seconds)
        answer: dict[str, Any] = {}
        try:
            if reader is None:
                reader = Reader(said) if said else Maker()
            else:
                name, *values = json.loads(said)
                answer["found"] = getattr(reader, name)(*values)
        except BaseException as error:  # a panic in Rust code is not an Exception
            answer["failed"] = str(error)[:_MOST_SHOWN]
        data = json.dumps(answer).encode()
        answers.write(len(data).to_bytes(LENGTH, "little") + data)
        answers.flush()


def _bound_memory(size: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = size if most == resource.RLIM_INFINITY else min(size, most)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    except (OSError, ValueError):  # some systems refuse it
        return


def _bound_time(seconds: int) -> None:
    try:
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + seconds + 1, most))


if __name__ == "__main__":
    sys.path.append(sys.argv[1])
    main(sys.stdin.buffer, sys.stdout.buffer, int(sys.argv[2]), int(sys.argv[3]))
