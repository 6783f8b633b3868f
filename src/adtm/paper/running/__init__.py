"""How it is run: `runner` does tasks in processes or on a cluster, in the order and with the time left of `forecast`.

`trial` is one task, done: data from `splits` or `raw`, a machine of `variants` (with the rules of `naive` where it asks
for them) or one of the `baselines`, judged by `scores`. `records` says what is kept of a run, `provenance` where it
comes from; `folds` does the tasks of the tables study.
"""
