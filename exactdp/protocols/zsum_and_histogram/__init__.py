"""The sum of bits with dummy messages, and the histogram made of it: protocols, theorems, slack."""
