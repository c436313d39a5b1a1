from sample_data.swaps import Swaps, swaps_of

IDS = {"cat": 4, "dog": 5, "hen": 6, "eats": 7, ".": 8, "3": 9, "7": 10, "soon": 11}
CLASSES = {"cat": "noun", "dog": "noun", "hen": "noun", "eats": "verb", ".": "punctuation"}


def test_others_are_of_the_same_class():
    swaps = Swaps(IDS, CLASSES)
    assert set(swaps.of(4)) == {5, 6}
    assert set(swaps.of(9)) == {10}
    assert [swaps.of(token) for token in (7, 8, 11, 2)] == 4 * [()]  # alone, or of no class


def test_they_are_a_few_and_always_the_same():
    ids = {f"word{i}": i for i in range(4, 40)}
    classes = dict.fromkeys(ids, "noun")
    first = Swaps(ids, classes).of(9)
    assert len(set(first)) == 4
    assert 9 not in first
    assert Swaps(ids, classes).of(9) == first
    assert Swaps(ids, classes).of(10) != first


def test_a_task_has_classes_and_another_none():
    known = swaps_of("everyday", {"cat": 4, "dog": 5})
    assert known.of(4) == (5,)
    assert swaps_of("of somebody", {"cat": 4, "dog": 5}).of(4) == ()
