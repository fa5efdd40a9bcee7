"""The checker of certificates: Python's standard library only (3.9 or newer), and no code shared with the prover.

docs/checker.md says in which order to read it; docs/certificates.md describes the format, and docs/soundness.md proves
the facts that are named here, in asterisks. Numbers and shapes are read first, each once, and refused if they are
written in any other way (``read_...``). Each kind of claim is one class: it reads its specification, has words for it,
and proves or refutes it with a witness. Laws are integer weights over one denominator, or integers that enclose them,
rounded outward; every comparison is between integers or fractions. A check returns the facts that it rests on, or
raises.

Nothing is imported here, so that the files can be read, run and joined one by one."""
