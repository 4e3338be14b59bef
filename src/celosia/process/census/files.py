"""The public folder of a census: everything is written beside it, read back, and takes its place at once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl

from celosia.census import Geography, write_measurements
from celosia.census.attribute import EMPTY
from celosia.io.atomic import writing_folder
from celosia.process.census.certificate import Certificate
from celosia.process.census.outcome import STEM, Outcome, Published
from celosia.process.release import make_folder
from celosia.verify.census_files import check_columns, check_histogram

PUBLIC, UNFIT = "publico", "no-publicable"
"""The folder of a release, and that of a test."""
MARK = "NO-PUBLICABLE-"
"""Every file of a test is called so."""

Page = Callable[[Certificate], str]


def public_folder(outcome: Outcome) -> Path:
    """Where the files of an outcome belong."""
    return outcome.plan.resolve(outcome.plan.folder) / (PUBLIC if outcome.releasable else UNFIT)


def publish(outcome: Outcome, page: Page) -> Certificate:
    """Write the public folder; ``page`` renders the certificate.

    The files are read back from disk and held against each other before the folder takes its place: all of it or
    none. What was there before stays until then.
    """
    target, mark = public_folder(outcome), "" if outcome.releasable else MARK
    make_folder(target.parent)
    with writing_folder(target) as folder:
        for one in outcome.tables:
            _write_table(one, folder / f"{mark}{one.file}", mark)
        _write_places(outcome.tables[0].geography, folder / f"{mark}lugares.csv")
        _write_json(folder / f"{mark}libro.json", outcome.ledger.to_dict())
        certificate = Certificate.of(outcome, {file.name: _facts(file) for file in sorted(folder.iterdir())})
        _write_json(folder / f"{mark}certificado.json", certificate.to_dict())
        (folder / f"{mark}certificado.html").write_text(page(certificate), "utf-8")
    return certificate


def keep_answers(outcome: Outcome, folder: Path) -> list[Path]:
    """Write what was asked, place by place, beside what is true: inside, never into the public folder."""
    from celosia.io.atomic import writing

    kept = []
    for one in outcome.tables:
        if one.looks.answers is not None:
            path = folder / f"respuestas-{STEM[one.table]}.parquet"
            with writing(path) as temporary:
                one.looks.answers.write_parquet(temporary)
            kept.append(path)
    return kept


def _write_table(one: Published, records: Path, mark: str) -> None:
    """Write the records, histograms, measurements and domain of a table; hold the first two against each other."""
    from celosia.io import read, write

    stem = f"{mark}{STEM[one.table]}"
    histogram = records.with_name(f"{stem}.histograma.parquet")
    write(one.microdata, records)
    histograms(one).write_parquet(histogram, metadata={"celosia": json.dumps({"releasable": not mark})})
    write_measurements(one.release.measurements, one.geography, records.with_name(f"{stem}.mediciones.parquet"))
    _write_json(records.with_name(f"{stem}.dominio.json"), one.domain.model_dump(mode="json"))
    written = read(records).frame
    check_columns(written, (*one.geography.told, *one.domain.names))
    check_histogram(written, pl.read_parquet(histogram), one.geography.told)


def _write_places(tree: Geography, path: Path) -> None:
    """The tree as it was measured, groups and all: with it and the domain anybody reads the measurements."""
    written = [name for name in tree.levels if name in tree.told or name in tree.groups]
    columns = {name: [tree.codes[tree.level(name)][i] for i in tree.ancestors(tree.level(name))] for name in written}
    pl.DataFrame(columns).write_csv(path)


def histograms(one: Published) -> pl.DataFrame:
    """How many are in each cell of each place of each level, without the zeros."""
    return pl.concat(list(_levels(one)))


def _levels(one: Published) -> Iterator[pl.DataFrame]:
    tree, domain = one.geography, one.domain
    written = {name: tree.levels.index(name) for name in tree.told}
    codes = {name: pl.Enum(sorted(set(tree.codes[level]))) for name, level in written.items()}
    for level, counts in enumerate(one.release.counts):
        if tree.levels[level] in tree.groups:
            continue
        place = np.repeat(np.arange(counts.places), np.diff(counts.first))
        columns = {"level": pl.repeat(tree.levels[level], place.size, dtype=pl.Enum(tree.levels), eager=True)}
        for name, own in written.items():
            if own > level:
                columns[name] = pl.repeat(None, place.size, dtype=codes[name], eager=True)
                continue
            node = place
            for depth in range(level, own, -1):
                node = tree.parents[depth][node]
            columns[name] = pl.Series(tree.codes[own], dtype=codes[name]).gather(node)
        for i, attribute in enumerate(domain.attributes):
            kept = [None if code == EMPTY else code for code in attribute.categories]
            labels = pl.Series(kept, dtype=pl.Enum([code for code in kept if code is not None]))
            columns[attribute.name] = labels.gather(domain.cells[counts.cell, i])
        yield pl.DataFrame({**columns, "count": counts.count})


def _facts(file: Path) -> dict[str, str | int]:
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    return {"sha256": digest, "bytes": file.stat().st_size}


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")
