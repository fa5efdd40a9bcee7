"""How little noise is enough, and how small the error is: calibration and optimal accuracy."""
