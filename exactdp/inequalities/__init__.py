"""Why an inequality holds: products of hypotheses, and Bernstein and Taylor bounds on boxes."""
