"""Numbers: quantities, hours, and days of a month."""

from collections.abc import Iterator

from sample_data.everyday.agreement import determiner_forms
from sample_data.everyday.determiners import determiner, unchanging
from sample_data.everyday.entries import SLOTS, Make, make_entry, parsed, say
from sample_data.everyday.tables import Row, read_table
from sample_data.grammar.lexicon import Entry

_PLURAL = parsed("agr=ils")
_MANY = parsed("agr=ils per=ils mass=no def=no")
_MOST_HOURS = 12


def numbers() -> Iterator[Entry]:
    """Make entries of numbers, and of the places of unknown ones."""
    rows = read_table("numbers")
    cardinals = [row for row in rows if row["value"].isdigit()]
    for row in cardinals:
        yield from _cardinal(row)
    yield from _days_of_month(rows)
    for slot in SLOTS:
        text = f"<d{slot}>"
        yield make_entry("Count", text, _PLURAL, say(text), 8)
        yield determiner(text, _MANY, unchanging(text), 1.5)
        yield make_entry("Hour", text, {}, say(text, hours="heures"), 4)


def _cardinal(row: Row) -> Iterator[Entry]:
    english, number = row["english"], int(row["value"])
    often = 8.0 if number <= 5 else 3.0 if number <= _MOST_HOURS else 0.1
    if number == 1:
        one = parsed("agr=il per=il mass=no def=no neg=no|ask")
        yield determiner(english, one, determiner_forms("un", "une", "un"), 3)
        yield make_entry("Hour", english, {}, say("une", hours="heure"), 2)
    elif number > 1:
        said = _number(row["french"])
        if not english.startswith("a "):  # not "the a hundred cats"
            yield make_entry("Count", english, _PLURAL, said, often)
        yield determiner(english, _MANY, said, often**2 / 80)
        if number <= _MOST_HOURS:
            yield make_entry("Hour", english, {}, say(row["french"], hours="heures"), 2)


def _number(french: str) -> Make:
    """Return a number; "vingt et un" agrees, "vingt et une"."""
    masculine = unchanging(french)
    feminine = unchanging(f"{french}e" if french.endswith(" un") else french)
    return lambda of: (feminine if of.get("gen") == "f" else masculine)(of)


def _days_of_month(rows: list[Row]) -> Iterator[Entry]:
    """Make the ordinals of a date: French says "le premier", and then "le deux"."""
    cardinals = {row["value"]: row["french"] for row in rows}
    for row in rows:
        day = row["value"][:-2]
        if not row["value"].isdigit() and day.isdigit():
            said = row["french"] if day == "1" else cardinals[day]
            yield make_entry("DateDay", row["english"], {}, say(said))
