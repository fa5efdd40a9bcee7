"""How small the error of an estimate is: the least alpha and beta that an exact law allows."""
