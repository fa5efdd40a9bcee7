"""Sample and threshold: counts that are seen from a threshold on."""
