"""Model files: written in one step, read without trust.

``tensorfile`` turns arrays and a JSON head into one file and back, whose bytes ``rawfile`` reads without trust and
without NumPy. ``modelfile`` puts an estimator into them: its ``parameters``, what it knows about y (``targets``), what
it has ``learned``; ``composites`` puts several into one file, with readers of ``texts`` before them. ``checks`` are
those of all parts.
"""
