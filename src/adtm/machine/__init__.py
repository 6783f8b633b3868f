"""The machine itself: what it is told, what it remembers, how it learns and how it answers. Nothing here knows tables.

``settings`` are its parameters, checked, with one s for each clause (``spread``); ``memory`` is what it learns, and how
it starts. ``heads`` turn y into steps of the banks, in an order that ``schedule`` gives, and votes into answers;
``calibration`` turns votes into probabilities, ``members`` add up their votes. ``backends`` do the learning and the
voting, with random numbers that are functions of what they decide (``draws``) or evenly spread ones (``weyl``), and
count both (``ledger``); ``faults`` are bits that are stuck meanwhile. ``model`` is the trained machine and the session
in which it learns, with the steps of the next epoch made ``ahead`` where the CPU is free; ``interrupt`` keeps the two
whole when Ctrl-C comes.
"""
