"""The summary page: valid HTML in both languages, escaped, with no script and nothing from elsewhere."""

import re
from html.parser import HTMLParser

import polars as pl
import pytest

from celosia import Plan, Policy, Run, Study
from celosia.core.language import speaking
from celosia.core.picture import Picture
from celosia.process.release import decide
from celosia.report import Figure, Note, Table, Title, page, summary
from celosia.report.summary import blocks, verdict_table

NASTY = '<script>alert("á & ñ")</script>'
VOID = {"meta", "input", "br", "hr", "img", "link"}


class Reader(HTMLParser):
    """Elements that open and close in order, with their attributes and texts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.texts, self.ids = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data):
        if not {"style", "script"} & set(self.open[-1:]):
            self.texts.append(data)


@pytest.fixture(scope="module")
def outcome():
    frame = pl.DataFrame({NASTY: ["a"] * 60 + ["b"] * 40 + ["c"], "hogar": [i // 2 for i in range(101)]})
    text = "kind: census\npolicy: ine-censo-poblacion\nroles: {household: hogar}\n"
    plan = Plan.parse(text).model_copy(update={"title": NASTY})
    scenario = Plan.parse("scenarios: {x: [a]}").scenarios[0].model_copy(update={"name": NASTY, "keys": (NASTY,)})
    study = Study.of(frame, plan.model_copy(update={"scenarios": (scenario,)}), Run(key=1))
    return decide(study.apply({"do": "recode_categories", "name": NASTY, "variables": [NASTY], "mapping": {"c": "a"}}))


@pytest.fixture(scope="module")
def text(outcome):
    with speaking("es"):
        return summary(outcome)


@pytest.fixture(scope="module")
def read(text):
    return Reader(text)


def test_every_element_closes_and_ids_are_unique(text, read):
    assert read.open == [] and text.startswith("<!doctype html>")
    own = [name for name in read.ids if name.startswith("language")]
    assert sorted(own) == ["language-en", "language-es"]
    assert {("meta", "utf-8")} <= {(tag, attrs.get("charset")) for tag, attrs in read.elements}


def test_both_languages_and_the_readers_first(outcome, read):
    mains = [attrs["lang"] for tag, attrs in read.elements if tag == "main"]
    assert mains == ["es", "en"]
    said = " ".join(read.texts)
    assert "Antes y después" in said and "Before and after" in said
    for lang in ("es", "en"):
        with speaking(lang):
            elements = Reader(summary(outcome)).elements
        assert [a["id"] for tag, a in elements if tag == "input" and "checked" in a] == [f"language-{lang}"]
        assert next(a for tag, a in elements if tag == "html")["lang"] == lang


def test_no_script_and_nothing_from_elsewhere(text, read):
    assert not {"script", "link", "iframe", "img", "object", "base"} & {tag for tag, _ in read.elements}
    loading = {"src", "href", "xlink:href", "srcset", "action", "data", "style"}
    for _, attrs in read.elements:
        assert not any(name.startswith("on") for name in attrs)
        for name in loading & set(attrs):
            assert not re.search(r"//|url\(", attrs[name] or ""), (name, attrs[name])
    assert "@import" not in text and "url(http" not in text


def test_names_are_escaped_wherever_they_appear(text, read):
    assert NASTY not in text and "<script" not in text
    assert sum(NASTY in piece for piece in read.texts) >= 6, "title, captions, tables"


def test_a_census_shows_the_k_that_each_row_implies(outcome):
    table = verdict_table(outcome.verdict)
    shown = dict(table.filter(pl.col("level") == "persona").select("threshold", "implied_k").iter_rows())
    assert shown["Unidades con riesgo sobre 5\u202f%"] == "20"
    assert shown["Registros que violan 5-anonimato"] == "5 (no llega a actuar)"
    assert shown["Riesgo global"] == "(no llega a actuar)"
    assert "Unidades con riesgo de 100\u202f%" in shown, "nothing is above 100 %"


def test_dropped_records_are_told_with_what_they_stood_for():
    text = "kind: sample\npolicy: ine-hogares\nroles: {weight: w}\nscenarios: {e: [a]}\n"
    frame = pl.DataFrame({"a": [1] * 9 + [2], "w": [10.0] * 9 + [30.0]})
    drop = {"do": "drop_records", "name": "raros", "where": "a == 2", "weight": "w", "recalibrate": True}
    done = Study.of(frame, Plan.parse(text)).apply(drop)
    said = [block.text for block in blocks(decide(done)) if isinstance(block, Note)]
    assert "«raros»: los registros quitados representaban 30 unidades (25,00\u202f% del total ponderado)." in said
    assert any("se ajustaron" in note for note in said)


def test_rows_give_before_and_after_side_by_side(outcome):
    table = verdict_table(outcome.verdict)
    assert table.height == sum(row.file == "after" for row in outcome.verdict.rows) == 17
    row = table.filter(pl.col("threshold") == "Registros que violan 2-anonimato")
    assert row["before"].item().startswith("0,99") and row["after"].item().startswith("0,00")
    assert set(table["limit"]) == {"0\u202f%", "<\u00a02\u202f%", "<\u00a01\u202f%", "<\u00a05\u202f%"}


def test_limits_keep_their_decimals(outcome):
    policy = Policy(name="p", thresholds=({"measure": "global_risk", "below": "2.5 %"},))
    assert verdict_table(policy.check(outcome.study))["limit"].unique().to_list() == ["<\u00a02,5\u202f%"]


def test_the_verdict_says_how_it_counts_and_what_it_judges(outcome):
    thresholds = ({"measure": "global_risk", "below": "50 %"},)
    policy = Policy(name="p", counting="strict", level="household", thresholds=thresholds)
    with pytest.warns(match="strict"), pytest.warns(match="household"):
        verdict = policy.check(outcome.study)
    from celosia.report.summary import verdict_notes

    said = " ".join(verdict_notes(verdict))
    assert "descansa solo" in said and "solo este nivel: hogar" in said


def test_the_page_is_a_list_of_blocks(outcome):
    kinds = [type(block).__name__ for block in blocks(outcome)]
    assert kinds[:3] == ["Title", "Note", "Note"] and {"Table", "Figure"} <= set(kinds)
    own = page(lambda: "t", lambda: [Title("uno & dos"), Note("n", "bad"), Table("c", pl.DataFrame({"x": [1.5]}))])
    assert "<h2>uno &amp; dos</h2>" in own and 'class="note bad"' in own and "1,5" in own and "1.5" in own
    assert Reader(own).open == []


def test_columns_of_figures_stand_to_the_right():
    html = Table("c", pl.DataFrame({"a": ["x"], "b": ["1 %"], "c": [3]}), figures=("b",)).html()
    assert re.findall(r'<td( class="number")?>', html) == ["", ' class="number"', ' class="number"']


def test_a_figure_says_in_words_what_it_shows(monkeypatch):
    figure = Figure("pie", Picture("90 % < 3", {"mark": "bar", "data": {"values": []}}))
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    assert "<p>90 % &lt; 3</p>" in figure.html() and 'aria-label="90 % &lt; 3"' in figure.html()


def test_no_key_leaves_in_the_page(outcome, text):
    assert outcome.study.run.secret.hex() not in text
