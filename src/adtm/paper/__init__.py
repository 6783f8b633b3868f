"""The paper's experiments, from their declaration to the report.

`studies` declares what is run: tasks, and the numbers that the paper prints. `running` does the tasks and keeps one
record of each. `reading` makes tables, verdicts and sentences of records, `figures` charts and drawings. `results` does
all of that once, and `report` shows it as a page.
"""
