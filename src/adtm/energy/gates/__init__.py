"""Energy measured on gates: a training clause in the cells of a real library, through steps of real training.

``trace`` records what a clause lives through, ``liberty`` reads a library of cells, ``netlist`` makes and evaluates
circuits of them, ``blocks`` says what each block of the clause holds in every step, ``measure`` adds up what it spends.
``study`` compares machines step by step, ``reaching`` until they reach an accuracy. ``answers`` counts what a trained
machine spends on an answer. The estimate that needs no gates is ``adtm.energy``.
"""
