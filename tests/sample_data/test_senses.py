from sample_data.everyday.senses import english_senses, verb_lemmas


def parts(word: str) -> set[str]:
    return {sense.part for sense in english_senses()[word]}


def test_a_word_has_its_part_of_speech_its_form_and_what_it_goes_with():
    [bank] = english_senses()["bank"]
    assert (bank.part, bank.form) == ("noun", "il")
    assert {"building", "place"} <= bank.kinds
    eats = [sense for sense in english_senses()["eats"] if sense.objects]
    assert {sense.form for sense in eats} == {"third"}
    assert all("food" in sense.objects and "animal" in sense.kinds for sense in eats)
    assert {sense.form for sense in english_senses()["sausages"]} == {"ils"}
    assert {sense.form for sense in english_senses()["bigger"]} == {"comparative"}


def test_a_word_of_a_closed_class_is_nothing_else():
    assert parts("to") == {"preposition"}
    assert parts("us") == {"pronoun"}
    assert parts("drink") == {"noun", "verb"}


def test_forms_of_a_verb_know_their_base():
    lemmas = verb_lemmas()
    assert {lemmas[form] for form in ("give", "gives", "gave", "given", "giving")} == {"give"}
    assert lemmas["ate"] == "eat"
    assert "bank" not in lemmas
