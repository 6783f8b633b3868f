"""Out of Python: machines as programs and circuits that need nothing of this library.

``c`` and ``verilog`` write what a trained machine answers, from its rules; ``c_learner`` and ``verilog_learner`` what
learns, from settings. Every module gives text; writing files is the command line's work, and proving that the text
computes what the library computes is that of the tests.
"""
