"""The documentation site: what `tools/build-docs` stages, builds with Sphinx and checks."""
