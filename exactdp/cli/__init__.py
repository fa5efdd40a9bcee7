"""The command line: reads arguments, calls the package, prints. Nothing is computed here."""
