"""From data and parameters to a fitted estimator, with scikit-learn's interface.

``estimators`` are the machines that users name. ``parameters`` is the table of all their parameters, checked one by one
in ``checking``; ``plan`` decides from them what ``fit`` will do. ``reading`` reads the data by that plan: X as literals
(``columns``), y for the head (``targets``), which rows count and how often (``samples``). ``fitting`` carries the plan
out, epoch after epoch, with a bar on the screen and early stopping; ``calibrating`` finds what makes
probabilities of votes, ``leading`` the few rules that are printed first. A ``race`` compares several machines on rows
held out, and ``choosing`` runs one where parameters are left open. ``estimator`` is the face that all machines share,
``classifier`` that of those with labels; ``composite`` adds the votes of several. ``thresholds`` moves thresholds of
tables by what a machine learns from them.
"""
