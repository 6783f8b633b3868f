"""Out of Python: machines as programs and circuits that need nothing of this library.

``c`` and ``verilog`` write what a trained machine answers (``inference``, from its rules) and what goes on learning
(``learner``, from settings), with the text of ``templates``. ``known`` says what a learner can be made of. Every module
gives text; writing files is the command line's work, and proving that the text computes what the library computes is
that of the tests.
"""
