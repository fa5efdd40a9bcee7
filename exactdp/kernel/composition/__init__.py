"""Products of pairs of laws: their losses, their powers in fixed point, and exactly where ratios coincide."""
