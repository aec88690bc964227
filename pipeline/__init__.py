"""The command line, and the Beam pipeline around the extractors."""
