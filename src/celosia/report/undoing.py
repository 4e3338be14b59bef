"""The block that says whether suppression can be undone: how many emptied cells follow from what remains, and why."""

from __future__ import annotations

import polars as pl

from celosia.core.language import text
from celosia.report.blocks import Block, Note, Table, Title
from celosia.verify.deduction import Deduced


def deduction_blocks(found: Deduced) -> list[Block]:
    """The block of a page; nothing where no cell was emptied."""
    if not found.emptied:
        return []
    made: list[Block] = [Title(text("summary.deduced"))]
    made += [Note(line, "bad" if i == 0 and found.total else "plain") for i, line in enumerate(sentences(found))]
    if found.total:
        made.append(Table(text("summary.deduced.caption"), deduction_table(found)))
    return made


def sentences(found: Deduced) -> list[str]:
    """What was found, in sentences; the first one is the answer."""
    emptied = sum(found.emptied.values())
    if not emptied:
        return []
    counts = {"count": found.total, "emptied": emptied}
    said = [text("deduced.some" if found.total else "deduced.none", **counts)]
    if found.broken:
        said.append(text("deduced.broken", rules=tuple(found.broken)))
    if found.untried:
        said.append(text("deduced.untried", rules=found.untried))
    return said


def deduction_table(found: Deduced) -> pl.DataFrame:
    """A row a variable and rule; variables that keep all their cells hidden come last."""
    emptied = pl.DataFrame(
        {"variable": list(found.emptied), "emptied": list(found.emptied.values())},
        schema={"variable": pl.String, "emptied": pl.Int64},
    )
    rows = emptied.join(found.rules, on="variable", how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("cells").fill_null(0)).sort("cells", descending=True, maintain_order=True)
    return rows.select("variable", "emptied", pl.col("cells").alias("deduced"), "rule", "known_from")
