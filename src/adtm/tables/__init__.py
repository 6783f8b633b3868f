"""From what people bring to packed literals, the 0 and 1 that a machine reads.

A table comes as one column after the other (``values``), read from whatever holds it (``table``; ``csvfile`` for CSV,
``csr`` for sparse matrices, ``arrays`` for lists and series). What a column becomes, a thermometer of thresholds or a
bit for each category, is said in ``columns`` (read from a file: ``states``), where its bits lie in ``layout``;
``booleanizer`` is the transformer that does both, and ``literals`` holds the packed result. Data larger than memory
come in ``pieces``; ``gathering`` learns what their columns are, with the ``ranks`` of their numbers; ``packed`` writes
and maps a file of literals (its form: ``packedfile``). ``images`` packs pictures and sequences, ``patches`` says what a
clause sees that slides over them; ``image_booleanizer`` makes levels, edges and lines of pictures, by the ``filters``
of whole numbers, and ``warp`` more pictures of pictures. y beside any of them is read by ``answers``.
"""
