/* The vote that a value asks for: the nearest of 0 .. T, of two the even one; beyond the range, its end. */
static inline uint32_t ${name}_target(double value) {
    const double inside = value < $low ? $low : value > $high ? $high : value;
    const volatile double vote = (inside - $low) / $per * (double)${NAME}_T; /* volatile: as in ${name}_answer */
    const uint32_t below = (uint32_t)vote;
    const double rest = vote - below;
    return below + (rest > 0.5 || (rest == 0.5 && below % 2));
}

/* One sample, and the vote that it asks for, 0 .. T. */
static inline void ${name}_learn(${name}_machine *self, const uint32_t *features, uint32_t target) {
    ${name}_step(self, 0, features, target);
    self->samples += 1;
}
