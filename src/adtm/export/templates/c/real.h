
/* Numbers are compared as whole ones in the same order, without a routine for floating point; a NaN comes after all.
   Where a double has fewer than 64 bits, as on AVR, they are compared as they are, with thresholds that are larger by
   their 2 ** -21: a number of at most six digits is answered for as if it had not been rounded. */
#if defined(__SIZEOF_DOUBLE__) && __SIZEOF_DOUBLE__ < 8
typedef double ${name}_key;
#define ${NAME}_KEY(value, bits) value
static inline ${name}_key ${name}_key_of(const double *x) { return *x; }
static inline uint32_t ${name}_is_nan(${name}_key x) { return x != x; }
#else
typedef int64_t ${name}_key;
#define ${NAME}_KEY(value, bits) bits
static inline ${name}_key ${name}_key_of(const double *x) {
    union {
        double value;
        int64_t bits;
    } seen;
    seen.value = *x;
    const int64_t size = seen.bits & INT64_MAX;
    if (size > INT64_C(0x7ff0000000000000)) return INT64_MAX;
    return seen.bits < 0 ? -size : size;
}
static inline uint32_t ${name}_is_nan(${name}_key x) { return x == INT64_MAX; }
#endif
