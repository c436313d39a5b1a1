"""The behaviour of every head over a corpus: tables of many sentences, made once."""
