"""The papers' protocols and tables, and how fast the package is."""
