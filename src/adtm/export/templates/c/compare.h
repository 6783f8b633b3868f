
static const $type ${name}_${of}_cuts[] = {$cuts};

/* Features first .. first + n - 1: whether x is at most each of n thresholds. */
static inline void ${name}_${of}(uint32_t *features, $type x, uint32_t cut, uint32_t first, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        if (x <= ${name}_${of}_cuts[cut + i]) ${name}_set(features, first + i);
    }
}
