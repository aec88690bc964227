"""Measures extractors against gold-standard texts."""
