"""How it is run: `runner` does tasks in processes or on a cluster, in the order and with the time left of `forecast`.

`trial` is one task, done: data from `splits` or `raw`, a machine of `variants` or one of the `baselines`, with its
scores. `records` says what is kept of a run, `provenance` where it comes from.
"""
