"""Does a claim hold: for each kind one function that decides it with the exact engines and finds a witness.

Nothing here is trusted: a decision becomes a certificate only after the checker, which shares no code with the engines,
has verified it.
"""
