/* d is infinite: nobody tosses. */
static inline void ${name}_tape(${name}_update *update, uint32_t b, uint32_t j, uint64_t u) {
    (void)update, (void)b, (void)j, (void)u;
}
