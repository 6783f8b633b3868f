"""C99: ``inference`` answers, from rules; ``learner`` learns, from settings; ``memory`` is what it has learned."""
