"""The least instance at which a published bound is false, and published bounds beside exact values on grids."""
