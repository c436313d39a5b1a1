"""Packs third-party tokenizers for a browser, as plain JSON values."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from model.config import TransformerConfig
from model.files.plain_json import read_object
from model.foreign.imports.pieces import UNREAD
from model.foreign.imports.portable_rules import NotPortableError, portable
from model.foreign.imports.token_names import shown_token
from model.foreign.imports.tokenizer_apart import TokenizerError
from model.foreign.imports.words import ForeignWords
from model.text.tokenizer import Tokenizers
from model.text.words import Specials, Words

FORM = 1
"""The version of this format, which changes if older readers would misread it."""
_MOST_BYTES = 60_000_000
_MOST_BEYOND = 20_000
_PROBES = (
    "Hello, world", " a  b", "a\n\nb\tc", "It's 1,234.5 (or so) ...", "É é ß Ж 你好 ع",
    "\U0001f469\u200d\U0001f467 e\u0301", "<b>x</b> [1] {2} |3|", "ΟΔΟΣ ﬁ ① \u00a0x", "",
)  # fmt: skip
"""Texts on which the browser's tokenizer must first agree with this one."""


def pack_tokenizers(both: Tokenizers, config: TransformerConfig) -> dict[str, Any]:
    """Pack the tokenizers of a model for `readForeignTokenizers` in the browser.

    A side that the model lacks is None. Raises NotPortableError, which names the feature, if the
    browser cannot implement a tokenizer.
    """
    read = both.source if config.has_encoder else None
    written = both.target if config.has_decoder else None
    sides: list[Words] = []
    for words in (read, written):
        if words is not None and words not in sides:
            sides.append(words)
    packed = {
        "form": FORM,
        "source": None if read is None else sides.index(read),
        "target": None if written is None else sides.index(written),
        "sides": [_pack_side(words) for words in sides],
    }
    size = len(json.dumps(packed, ensure_ascii=False, separators=(",", ":")).encode())
    if size > _MOST_BYTES:
        raise NotPortableError(
            f"its tokenizer has {size:,} bytes; the browser accepts at most {_MOST_BYTES:,}"
        )
    return packed


def _pack_side(words: Words) -> dict[str, Any]:
    if not isinstance(words, ForeignWords):
        raise NotPortableError("its tokenizer has no rules that can be sent to the browser")
    try:
        said = words.backend.rules().encode()
        rules = portable(read_object(said, where="tokenizer.json"))
        probes = [[text, _ids(words, text)] for text in _PROBES]
    except (TokenizerError, UnicodeError) as error:
        raise NotPortableError(f"its tokenizer fails: {error}") from error
    except NotPortableError:
        raise
    except ValueError as error:
        raise NotPortableError(f"its tokenizer cannot be read: {error}") from error
    ids = _ids_of(rules)
    return {
        "rules": rules,
        "kind": words.kind,
        "names": list(words.all_tokens),
        "beyond_names": _names_beyond(words, ids),
        "beyond": {token: id for token, id in words.beyond.items() if token not in ids},
        "cleans": words.cleans,
        "specials": _pack_specials(words.specials),
        "probes": probes,
    }


def _ids(words: ForeignWords, text: str) -> list[int]:
    """Return the ids that the rules produce, even those for which the model has no vector."""
    found, tokens, _ = words.backend.encode(text)
    unknown = words.specials.unk
    return [
        words.beyond.get(token, id) if id == unknown else id
        for id, token in zip(found, tokens, strict=True)
    ]


def _ids_of(rules: Mapping[str, Any]) -> dict[str, int]:
    """Return the ids of all tokens in the rules."""
    vocab = rules["model"]["vocab"]
    known = {t: i for i, (t, _) in enumerate(vocab)} if isinstance(vocab, list) else dict(vocab)
    return known | {token["content"]: token["id"] for token in rules["added_tokens"]}


def _names_beyond(words: ForeignWords, ids: Mapping[str, int]) -> dict[str, str]:
    """Return the displayed tokens for which the model has no vector, by id."""
    beyond = [(id, token) for token, id in ids.items() if id >= words.vocab_size]
    if len(beyond) > _MOST_BEYOND:
        raise NotPortableError(
            f"its tokenizer has {len(beyond):,} tokens for which the model has no vector"
        )
    return {
        str(id): shown_token(
            token.removeprefix(UNREAD), is_added=id in words.added, has_bytes=words.has_bytes
        )
        for id, token in sorted(beyond)
    }


def _pack_specials(specials: Specials) -> dict[str, Any]:
    before, after = specials.around
    single = ("pad", "bos", "eos", "unk", "mask", "start")
    several: dict[str, Sequence[int]] = {
        "stops": specials.ends,
        "before_prompt": specials.before_prompt,
        "after_prompt": specials.after_prompt,
    }
    return {
        **{name: getattr(specials, name) for name in single},
        **{name: list(ids) for name, ids in several.items()},
        "around": [list(before), list(after)],
    }
