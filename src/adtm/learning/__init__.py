"""From data and parameters to a fitted estimator, with scikit-learn's interface.

``estimators`` and ``regressor`` are the machines that users name, with their parameters. What these say is checked in
``parameters`` and ``multistep``, what data say in ``reading``, as ``samples`` to learn from. ``fitting`` learns epoch
after epoch, with ``progress`` on the screen and early ``stopping``. ``base`` is what all machines share, ``classifier``
what those of labels do.
"""
