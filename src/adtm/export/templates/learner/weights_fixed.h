/* Half of the clauses vote for, half against. */
static inline int32_t ${name}_weight(const $name *self, uint32_t v, uint32_t j) {
    (void)self, (void)v;
    return j % 2 ? -1 : 1;
}
