"""Words and phrases that the lexicon writes whole: punctuation, greetings, fixed expressions."""

from collections.abc import Iterator

from sample_data.everyday.entries import make_entry, parsed, say, share
from sample_data.everyday.tables import english_words, french_words, read_table
from sample_data.grammar.lexicon import Entry, French


def small_words() -> Iterator[Entry]:
    """Make the entries of `small.csv`, which follow no rule."""
    for row in read_table("small"):
        main, *others = row["french"].split(";")
        fields = {name.strip(): said for name, _, said in (o.partition("=") for o in others)}
        of = parsed(row["features"])
        yield make_entry(
            row["category"], row["english"], of, say(main.strip(), **fields), share(row)
        )


def phrases() -> Iterator[Entry]:
    """Make whole phrases; a mark at the end says only whether the phrase asks."""
    for row in read_table("phrases"):
        english = english_words(row["english"])
        links = [tuple(int(i) for i in link.split("+")) for link in row["links"].split()]
        said = [
            French(part, of=link)
            for word, link in zip(row["french"].split(), links, strict=True)
            for part in french_words(word)
        ]
        category = "AskingPhrase" if english[-1] == "?" else "Phrase"
        if english[-1] in ("?", "!"):
            english, said = english[:-1], said[:-1]
        yield Entry(category, english, {}, lambda _of, said=tuple(said): {"": said})
