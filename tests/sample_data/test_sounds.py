from sample_data.sounds import align, learn

WORDS = [
    *(("cat", ("K", "AE", "T")), ("tack", ("T", "AE", "K")), ("act", ("AE", "K", "T"))),
    *(("tact", ("T", "AE", "K", "T")), ("cab", ("K", "AE", "B")), ("bat", ("B", "AE", "T"))),
] * 40


def test_plain_words_go_letter_by_letter():
    scores = learn(WORDS)
    aligned = {word[0]: align(word, scores) for word in WORDS}
    assert aligned["cat"] == ("K", "AE", "T")
    assert aligned["act"] == ("AE", "K", "T")
    assert len(aligned["tack"]) == 4
    assert aligned["tack"][:2] == ("T", "AE")


def test_doubled_letters_share_their_sound():
    assert align(("batt", ("B", "AE", "T")), learn(WORDS)) == ("B", "AE", "T", "+")


def test_a_word_with_too_many_phonemes_has_no_alignment():
    assert align(("tv", ("T", "IY", "V", "IY", "T")), learn(WORDS)) == ()
