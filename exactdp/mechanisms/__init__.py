"""What one user runs: tables, published families, products and repetitions, and files on disk."""
