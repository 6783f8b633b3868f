"""What is read from records, whatever study they are of; the tables of a study are made in its module of `studies`.

`groups` sorts records, `measures` computes what the repeats of a setting scored, `estimates` means and intervals,
`differences` what changes from one setting to another, in numbers and in words. `claims` and `dataset_claims` are
judged by the rules of `verdicts` with what `evidence` answers; `silence` looks at rows without a vote, `sequences` at
the sequences in the place of random numbers. `findings` says in sentences what came out, `table` is a table.
"""
