"""What is run: the studies that `adtm reproduce` knows, each declared in a module as a list of tasks.

`paper` has the settings and the printed numbers of the paper, `sensitivity` the choices that it leaves open,
`determinism` learning without random numbers, `ablations` the same with one rule changed, `family` clauses that
tolerate failed literals, `defaults` parameters without tuning, `tables` a machine without any parameter beside other
learners, `thresholds` thresholds that a machine moves, `faults` bits that are stuck. `plan` says what a task is and how
many of them are asked for, `cases` what determinism and family share. What a study's records show is made in the module
of the same name in `adtm.paper.reading`.
"""
