"""Out of Python: machines as programs and circuits that need nothing of this library.

``c`` and ``verilog`` write what a trained machine answers (``inference``) and what goes on learning (``learner``), with
the text of ``templates``; ``onnx`` writes an ONNX model. ``design`` is what they read from an estimator, ``known`` says
what a learner can be made of.
Every module gives text; writing files is the command line's work, and proving that the text computes what the library
computes is that of the tests.
"""
