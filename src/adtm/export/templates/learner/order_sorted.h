$order_key
/* Whether sample a comes after sample b. */
static inline uint32_t ${name}_after(const ${name}_machine *self, uint32_t a, uint32_t b) {
    const uint64_t at_a = ${name}_order_key(self, a), at_b = ${name}_order_key(self, b);
    return at_a != at_b ? at_a > at_b : a > b;
}

/* The order of the samples of the epoch that comes: sorted on the spot, by a heap. */
static inline void ${name}_order(${name}_machine *self, uint32_t *order, uint32_t n) {
    self->ledger.shuffle_draws += $draws_a_sample * (uint64_t)n;
    for (uint32_t i = 0; i < n; ++i) order[i] = i;
    for (uint32_t heaped = n / 2, left = n; left > 1;) {
        uint32_t sinking, at;
        if (heaped > 0) {
            at = --heaped;
            sinking = order[at];
        } else {
            at = 0;
            sinking = order[--left];
            order[left] = order[0];
        }
        for (uint32_t below; (below = 2 * at + 1) < left; at = below) {
            if (below + 1 < left && ${name}_after(self, order[below + 1], order[below])) below += 1;
            if (!${name}_after(self, order[below], sinking)) break;
            order[at] = order[below];
        }
        order[at] = sinking;
    }
}
