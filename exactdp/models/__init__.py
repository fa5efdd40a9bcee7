"""Who sends what, as data: randomizers, analyzers, data sets, neighbours, and the file format."""
