"""The benchmark suite: every side on the same data in one interleaved run. See README.md."""
