"""How little noise is enough: calibration, with certificates for what holds and for what fails."""
