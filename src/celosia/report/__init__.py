"""Reports: they read results and compute nothing. A page is a list of blocks."""

from celosia.report.blocks import Block, Details, Figure, Note, Table, Title
from celosia.report.page import page
from celosia.report.summary import summary

__all__ = ["Block", "Details", "Figure", "Note", "Table", "Title", "page", "summary"]
