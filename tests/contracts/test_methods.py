"""What every method keeps, whichever it is. A new method joins by its line in ``support/examples.py``."""

import json
import warnings

import numpy as np
import polars as pl
import pytest
from examples import USES, household_file, use
from pydantic import ValidationError

from celosia import Dictionary, Microdata, Run, Variable, methods
from celosia.core.codes import spell_series
from celosia.core.errors import CelosiaError, OptionError, PromiseError
from celosia.core.frames import enter
from celosia.core.method import Method

pytestmark = pytest.mark.parametrize("do", sorted(methods.REGISTRY))


def test_it_has_an_example(do):
    assert do in USES


def test_it_is_a_frozen_value_that_refuses_what_it_does_not_know(do):
    method = use(do)
    with pytest.raises(ValidationError):
        method.k = 9
    with pytest.raises(OptionError) as error:
        type(method)(**USES[do], desconocido="ZZSECRETZZ")
    assert error.value.code == "field-unknown" and set(error.value.facts["known"]) == set(type(method).model_fields)
    assert "ZZSECRETZZ" not in str(error.value)
    assert method.do == do and method == use(do)


def test_it_can_be_written_down_and_read_again(do):
    method = use(do)
    written = json.loads(json.dumps(method.model_dump(mode="json", exclude_defaults=True)))
    assert type(method)(**written) == method
    assert type(method).model_json_schema()["additionalProperties"] is False


def test_it_leaves_its_input_alone(do):
    data = household_file()
    before = data.frame.clone()
    use(do).apply(data, Run(key=1))
    assert data.frame.equals(before) and data.marked == ()


def test_the_same_key_gives_the_same_output_and_threads_change_nothing(do):
    data = household_file()
    one = use(do).apply(data, Run(key=5, threads=1))
    two = use(do).apply(data, Run(key=5, threads=4))
    assert one.data.frame.equals(two.data.frame) and one.data.ids.tolist() == two.data.ids.tolist()


def test_ids_stay_unique_and_known(do):
    data = household_file()
    ids = use(do).apply(data, Run(key=1)).data.ids
    assert len(set(ids.tolist())) == ids.size and set(ids.tolist()) <= set(data.ids.tolist())


def test_every_kind_of_table_comes_back_as_it_came(do):
    data = household_file()
    plain = data.frame
    reference = None
    with warnings.catch_warnings(action="ignore"):
        for table in (plain, plain.to_pandas(), plain.to_arrow(), Microdata(plain)):
            try:
                given = use(do).apply(table, Run(key=1)).data
            except CelosiaError as error:
                given = error.code  # such as 999, which without its dictionary is an age like any other
            assert isinstance(given, type(table) | str)
            shown = given if isinstance(given, str) else enter(given).frame
            if reference is None:
                reference = shown
            elif isinstance(shown, str):
                assert shown == reference
            else:
                assert shown.columns == reference.columns and shown.height == reference.height


def test_the_result_is_a_table_and_holds_no_key(do):
    run = Run(key=bytes(range(32)))
    result = use(do).apply(household_file(), run)
    assert isinstance(result.table(), pl.DataFrame) and "<table>" in result._repr_html_()
    shown = json.dumps(result.to_dict(), default=str) + repr(result)
    assert run.key.hex() not in shown and str(run.key) not in shown


def test_missing_values_are_not_taken_for_numbers(do):
    data = household_file()
    after = use(do).apply(data, Run(key=1)).data
    for name in ("edad", "ingreso"):
        if name not in after or after.height != data.height or do in ("shuffle_order",):
            continue
        was = data.dictionary[name].missing_mask(data.column(name)).to_numpy()
        now = after.dictionary[name].missing_mask(after.column(name)).to_numpy()
        assert (now[was]).all(), name


def test_a_broken_promise_throws_the_output_away(do, monkeypatch):
    kind = type(use(do))
    transform = kind._transform

    def sabotaged(self, data, run):
        result = transform(self, data, run)
        spoiled = result.data.column("sexo").to_list()
        spoiled[0] = 2 if spoiled[0] == 1 else 1
        dtype = result.data.column("sexo").dtype
        treated = result.data.with_columns({"sexo": pl.Series(spoiled, dtype=dtype, strict=False)})
        return type(result)(**{**vars(result), "data": treated})

    monkeypatch.setattr(kind, "_transform", sabotaged)
    with pytest.raises(PromiseError):
        use(do).apply(household_file(), Run(key=1))


def test_no_method_can_leave_by_another_door(do):
    assert type(use(do)).apply is Method.apply


def test_row_order_does_not_matter_to_what_a_record_gets(do):
    if do in ("sample", "shuffle_order", "new_ids"):
        pytest.skip("its chance goes with the id, which here is the position at entry: tested with declared ids")
    data = household_file()
    order = np.random.Generator(np.random.PCG64(3)).permutation(data.height)
    one = use(do).apply(data, Run(key=1)).data
    two = use(do).apply(data.take(order), Run(key=1)).data.in_order_of(one.ids)
    if do == "local_suppression":
        assert one.marked == two.marked  # which of equal records lend themselves may differ
    else:
        assert one.frame.equals(two.frame)


def test_a_record_wise_method_does_the_same_whatever_the_other_records_are(do):
    method, data = use(do), household_file()
    if not method.record_wise:
        pytest.skip(f"{do} looks at other records")
    whole = method.apply(data, Run(key=1)).data
    rng = np.random.default_rng(1)
    for rows in (np.arange(0), *(rng.permutation(data.height)[:n] for n in (1, data.height // 2))):
        try:
            part = method.apply(data.take(rows), Run(key=2)).data
        except CelosiaError as error:
            assert error.code == "drop-all-records"
            continue
        assert part.variables == whole.variables
        kept = [i for i in data.ids[rows] if i in set(whole.ids.tolist())]
        assert part.ids.tolist() == kept
        assert part.dictionary == whole.dictionary
        for name in part.variables:
            same = spell_series(whole.in_order_of(part.ids).column(name)).eq_missing(spell_series(part.column(name)))
            assert same.all()


def test_a_cell_that_is_marked_and_keeps_its_value_throws_the_output_away(do, monkeypatch):
    kind = type(use(do))
    transform = kind._transform

    def marked(self, data, run):
        result = transform(self, data, run)
        made = result.data
        name = made.variables[-1]
        frame = made.suppress({name: np.ones(made.height, dtype=bool)})._frame.with_columns(made.column(name))
        return type(result)(**{**vars(result), "data": Microdata._of(frame, made.dictionary)})

    monkeypatch.setattr(kind, "_transform", marked)
    with pytest.raises(PromiseError) as error:
        use(do).apply(household_file(), Run(key=1))
    assert error.value.code == "promise-marked"


PLAIN = ("hogar", "zona", "sexo", "edad", "peso", "nombre", "ingreso")
NAMES = [
    dict(zip(PLAIN, names.split(), strict=True))
    for names in (
        "len total records old weight new count",
        "unit area code value total home persons",
        "household len index row w id everybody",
    )
]


def renamed(written, names):
    """Options with other names of variables."""
    if isinstance(written, dict):
        return {names.get(key, key): renamed(value, names) for key, value in written.items()}
    if isinstance(written, tuple | list):
        return type(written)(renamed(item, names) for item in written)
    if isinstance(written, str) and written.startswith("zona =="):
        return written.replace("zona", names["zona"])
    return names.get(written, written) if isinstance(written, str) else written


@pytest.mark.parametrize("names", NAMES)
def test_variables_may_have_any_name(do, names):
    data = household_file()
    book = Dictionary.of(*(Variable(**{**v.model_dump(), "name": names.get(v.name, v.name)}) for v in data.dictionary))
    other = Microdata(data.frame.rename(names), book)
    same = use(do).apply(data, Run(key=1)).data
    found = methods.method(do)(**renamed(USES[do], names)).apply(other, Run(key=1)).data
    assert found.frame.equals(same.frame.rename({name: names.get(name, name) for name in same.variables}))
