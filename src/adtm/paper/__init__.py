"""The paper's experiments, from their declaration to the report.

`published` has what the paper prints, and `plan` what a task is. `running` does tasks and keeps one record of each;
`reading` sorts, measures and judges records. `studies` has a module for each study, with its tasks and its tables,
`figures` charts and drawings. `results` makes all that is shown once, and `report` shows it as a page.
"""
