"""Ratios against the named peers: `python -m benchmarks`, or `make bench`.

Every file `bench_NAME.py` of this folder has one function, `rows(options)`, that yields a `Row` for each thing it measures. Both
sides of a row do the same work in the same process, taken in turns by `measure.compare`. Nothing here is a test: no number fails
a build.
"""
