"""The labels of the page of what mattered, and what is said of every run alike."""

from model.ablation import How

TITLE = "What mattered"
QUESTION = "Which part of the model did this sentence need?"
QUESTION_OF_TEXT = "Which part of the model did this text need?"
LEFT_OUT = (
    "Two things are for models that translate alone: following a word through the model from one "
    "sentence into another, and what many held-out sentences needed."
)
THEN_WRITTEN = (
    "What is written then is the likeliest token of each step, each after the text as it stands."
)
THEN_READ = "What is shown then is the likeliest token at each place."
EDGES_NOTE_OF_TEXT = (
    "Each cell is one word that one row may no longer read, in all heads of the attention at once. "
    "Olive: the text gets less likely without it. Purple: more likely."
)
HOW = "Replace what is cut with"
HOWS: dict[How, str] = {"zero": "nothing", "mean": "its average", "even": "even weights"}
HOW_NOTES: dict[How, str] = {
    "zero": "What is cut adds nothing at all.",
    "mean": "What is cut always adds the same: its average over other sentences.",
    "even": (
        "Each row reads all that it may read alike, so only where a head looks is lost. "
        "Feed-forward networks look nowhere and are left out."
    ),
}
CAUTION = (
    "A cut shows what this one sentence needed, not all that a part does. Heads stand in for one "
    "another: where each of two can be spared, cutting both may do harm."
)
NATS = "nats per token"
MAP_NOTE = (
    "A tile says how many nats of loss per token that costs; framed, another text is written."
)
MANY_NOTE = (
    "Each tile: percent of the sentences that are right without this part. Framed: a tenth or more "
    "of them are right no longer."
)
KEEP = "Keep this cut"
EDGES_FOLD = "Edge by edge: which word had to read which"
HELD_OUT_FOLD = "Over many sentences: what is needed again and again, and what can be spared"
PATCHING_FOLD = "Patching: which part carries the difference between two sentences"

EDGES_LEAD = "The edges that cost most, of each kind of attention, when each is cut alone:"
NO_EDGE = "No edge by itself costs anything worth telling."
EDGES_NOTE = (
    "Each cell is one word that one row may no longer read, in all heads of the attention at once. "
    "Olive: the translation gets less likely without it. Purple: more likely."
)
EDGE_CAUTION = (
    "An edge that costs nothing may still carry something: other words, or the layers before, may "
    "have it too."
)
ONE_ATTENTION = "One attention, and one of its heads alone"
CUT_EDGES = "Cutting every edge"
STOP, START_AGAIN, NOT_MEASURED = "Stop", "Start again", "This could not be measured"
OTHER = "Another sentence, for which the model writes something else"
CANNOT_PATCH = "These two sentences cannot be compared"
SWAP_A_WORD = (
    "Change one word, so that the model writes something else, as with “tired” and “wide”."
)
NOTHING_TO_COMPARE = (
    "Type a sentence that differs by a word from the one above, so that the model writes "
    "something else."
)
GRIDS_NOTE = (
    "Olive: this cell by itself brings the word of your sentence back. White: it changes nothing. "
    "Hatched: a word that has no partner in your sentence."
)
OTHER_LENGTH = (
    "The sentences are not of one length, so words are paired. Where a head looks is brought from "
    "word to word, and divided by what is left of it."
)
FINDS_AND_LOOKS = "What a head finds, and where it looks, are patched separately."
AND_NOTE = (
    "A cell that brings the word back is enough for it; whether it is needed is another question. "
    "Heads can act together: a whole attention may bring everything back where each of its heads, "
    "alone, brings back little."
)
NOTHING_THERE = "no cell of it brings back more than a twentieth."
STATES = "The states that flow from layer to layer"
FINDS, LOOKS = "what it finds", "where it looks"
ENCODER_STATES, DECODER_STATES = "encoder, by word read", "decoder, by word written"
NO_ATLAS = "Nothing is recorded for these weights."
MEASURE = "Measure it now"
NO_SENTENCES = "There are no held-out sentences of this model's task."
ATLAS = "Cutting every part over held-out sentences"
BACKUP = "Heads that stand in for each other"
PAIR_COLUMNS = ("Both cut", "first alone", "second alone", "together", "more than the sum")
WITHOUT_CHANGES = "This is of the model as it is: the changes made above are left out here."
TOO_MANY_EDGES = (
    "In a changed model only the edges of shorter sentences are cut: shorten this one, or switch "
    "the changes off."
)
CANNOT_KEEP = (
    "That cell cannot be put into your run: there the two sentences do not stand word for word "
    "beside each other."
)
