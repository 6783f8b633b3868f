"""The paper: its ``experiments``, its ``figures``, and the ``report`` that shows both."""
