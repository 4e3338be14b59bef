import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused

from celosia.census import Geography
from celosia.core.hierarchy import Hierarchy

UNIVERSITY = [("FCFM", "DCC"), ("FCFM", "DII"), ("FMED", "ENF"), ("FMED", "OBS")]
LEVELS = ("facultad", "departamento")


def table(paths, levels=LEVELS):
    return pl.DataFrame(paths, schema=list(levels), orient="row")


@st.composite
def trees(draw):
    """Paths of three levels, codes numbered anew within each parent."""
    paths = []
    for a in range(draw(st.integers(1, 3))):
        for b in range(draw(st.integers(1, 3))):
            paths += [(str(a), str(b), str(c)) for c in range(draw(st.integers(1, 3)))]
    return draw(st.permutations(paths))


def test_the_university_of_the_thesis():
    tree = Geography.of_table(table(UNIVERSITY), LEVELS, root="universidad")
    assert tree.levels == ("universidad", "facultad", "departamento")
    assert tree.nodes == (1, 2, 4)
    assert tree.codes[2] == ("DCC", "DII", "ENF", "OBS")
    assert [tree.children(1, node) for node in range(2)] == [slice(0, 2), slice(2, 4)]
    counts = np.array([[15, 7], [5, 3], [9, 7], [1, 3]])
    faculties = tree.sum_children(1, counts)
    assert faculties.tolist() == [[20, 10], [10, 10]]
    assert tree.sum_children(0, faculties).tolist() == [[30, 20]]


def test_a_hierarchy_gives_the_same_tree():
    tree = Hierarchy.from_rows([path[::-1] for path in UNIVERSITY])
    made, same = Geography.of_hierarchy(tree, LEVELS), Geography.of_table(table(UNIVERSITY), LEVELS)
    assert made.codes == same.codes and made.levels == same.levels
    with refused("geography-levels"):
        Geography.of_hierarchy(tree, ("facultad",))


def test_one_first_code_is_the_root_itself():
    tree = Geography.of_table(table([("CL", "13"), ("CL", "05")], ("pais", "region")), ("pais", "region"))
    assert tree.levels == ("pais", "region") and tree.nodes == (1, 2)
    assert tree.codes[1] == ("05", "13")


def test_codes_sort_as_numbers_and_keep_their_spelling():
    tree = Geography.of_table(table([("9", "01"), ("10", "1")], ("region", "zona")), ("region", "zona"))
    assert tree.codes[1] == ("9", "10") and tree.codes[2] == ("01", "1")


@given(trees())
def test_children_and_leaves_are_slices(paths):
    levels = ("a", "b", "c")
    tree = Geography.of_table(table(paths, levels), levels)
    assert tree.leaves == len(paths)
    for level in range(tree.depth - 1):
        for node in range(tree.nodes[level]):
            inside = tree.children(level, node)
            assert np.flatnonzero(tree.parents[level + 1] == node).tolist() == list(range(inside.start, inside.stop))
            first = tree.first_leaf[level]
            assert np.flatnonzero(tree.ancestors(level) == node).tolist() == list(range(first[node], first[node + 1]))
        counts = np.arange(tree.nodes[level + 1])
        expected = [counts[tree.children(level, node)].sum() for node in range(tree.nodes[level])]
        assert tree.sum_children(level, counts).tolist() == expected
    for level, names in enumerate(tree.names):
        assert len(set(names)) == tree.nodes[level]


@given(trees())
def test_every_record_finds_its_leaf_and_a_reordered_table_gives_the_same_tree(paths):
    levels = ("a", "b", "c")
    tree = Geography.of_table(table(sorted(paths), levels), levels)
    shuffled = Geography.of_table(table(paths, levels), levels)
    assert shuffled.codes == tree.codes
    leaf = tree.place(table(paths, levels))
    for path, node in zip(paths, leaf, strict=True):
        assert tuple(tree.codes[tree.level(name)][tree.ancestors(tree.level(name))[node]] for name in levels) == path


def test_only_children_are_known():
    paths = [("1", "11", "111"), ("2", "21", "211"), ("2", "22", "221"), ("2", "22", "222")]
    tree = Geography.of_table(table(paths, ("a", "b", "c")), ("a", "b", "c"))
    assert [alone.tolist() for alone in tree.only_child] == [
        [False], [False, False], [True, False, False], [True, True, False, False]
    ]  # fmt: skip


def test_the_leaf_alone_is_enough_where_its_codes_are_not_repeated():
    tree = Geography.of_table(table(UNIVERSITY), LEVELS)
    assert tree.place(pl.DataFrame({"departamento": ["OBS", "DCC"]})).tolist() == [3, 0]
    again = Geography.of_table(table([("1", "1"), ("1", "2"), ("2", "1")]), LEVELS)
    with refused("variable-unknown"):
        again.place(pl.DataFrame({"departamento": ["1"]}))
    with refused("variable-unknown"):
        tree.place(pl.DataFrame({"facultad": ["FCFM"]}))


def test_a_place_outside_the_tree_is_refused_without_its_code():
    tree = Geography.of_table(table(UNIVERSITY), LEVELS)
    for path in (("FCFM", "XYZ"), ("FMED", "DCC"), ("FCFM", None)):
        with refused("place-unknown", records=2) as caught:
            tree.place(table([*UNIVERSITY, path, path]))
        assert "XYZ" not in str(caught.value)


def test_a_zone_without_a_parent_is_refused():
    for gap in (None, ""):
        with refused("place-without-parent"):
            Geography.of_table(table([*UNIVERSITY, (gap, "X")]), LEVELS)
    with refused("geography-empty"):
        Geography.of_table(table([]).cast(pl.String), LEVELS)


def test_levels_of_only_children_are_bypassed():
    paths = [("CL", "13", "1", "11", "111"), ("CL", "13", "1", "12", "121"), ("CL", "13", "1", "12", "122")]
    levels = ("pais", "region", "provincia", "comuna", "zona")
    tree = Geography.of_table(table(paths, levels), levels).bypassed()
    assert tree.levels == ("pais", "comuna", "zona") and tree.nodes == (1, 2, 3)
    assert tree.place(table(paths, levels)).tolist() == [0, 1, 2]
    alone = Geography.of_table(table(paths[:2], levels), levels).bypassed()
    assert alone.levels == ("pais", "zona"), "the leaves keep their name"
    assert alone.place(table(paths[:2], levels)).tolist() == [0, 1]
    whole = Geography.of_table(table(UNIVERSITY), LEVELS)
    assert whole.bypassed().codes == whole.codes


@given(trees(), st.integers(2, 4))
def test_grouped_children_stay_under_their_parents(paths, most):
    levels = ("a", "b", "c")
    tree = Geography.of_table(table(paths, levels), levels)
    spine = tree.grouped("b", "grupo", most)
    assert spine.levels == (*tree.levels[:-1], "grupo", "c")
    assert max(np.diff(spine.first_child[-1])) <= most
    assert spine.leaves == tree.leaves and spine.codes[spine.level("b")] == tree.codes[tree.level("b")]
    leaf = spine.place(table(paths, levels))
    for path, node in zip(paths, leaf, strict=True):
        found = [spine.codes[spine.level(name)][spine.ancestors(spine.level(name))[node]] for name in levels]
        assert tuple(found) == path


def test_groups_do_not_mix_areas():
    paths = [("13", str(zone)) for zone in range(1, 8)]
    tree = Geography.of_table(table(paths, ("comuna", "zona")), ("comuna", "zona"))
    rural = {"2": "R", "4": "R", "6": "R"}
    spine = tree.grouped("comuna", "area", 3, by={name: rural.get(name, "U") for name in tree.names[1]})
    groups = {}
    for zone, parent in zip(spine.codes[2], spine.parents[2], strict=True):
        groups.setdefault(spine.codes[1][parent], []).append(zone)
    assert groups == {"R-1": ["2", "4", "6"], "U-1": ["1", "3"], "U-2": ["5", "7"]}
    with refused("limit-place-unknown"):
        tree.grouped("comuna", "area", 3, by={"99": "R"})
    for wrong in (("zona", "area"), ("comuna", "zona")):
        with refused("geography-group-level"):
            tree.grouped(*wrong, 3)
    with refused("option-range"):
        tree.grouped("comuna", "area", 1)
