"""The commands of ``exactdp``, one per file."""
