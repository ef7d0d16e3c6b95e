"""Replacements for functions of other packages."""
