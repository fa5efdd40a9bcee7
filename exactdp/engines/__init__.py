"""How a privacy profile is computed: a planner chooses an engine from the structure of the table, never from a name."""
