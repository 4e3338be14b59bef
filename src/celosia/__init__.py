"""Celosía: publish microdata, tables and a census without publishing anybody."""
