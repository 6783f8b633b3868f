/* Prints what a generated program answers: the index of a class, 0 or 1 for each label, or the bits of a value. */
#include <stdio.h>
#include <string.h>

/* Not every C library can print 64 bits, or a double. */
static inline void print_wide(uint64_t x) {
    printf("0x%lx%08lx ", (unsigned long)(x >> 32), (unsigned long)(x & 0xFFFFFFFFu));
}

static inline void print_value(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    print_wide(bits);
}

#if defined(LABELS)
#define PRINT_ANSWER(...)                                                                     \
    do {                                                                                      \
        uint8_t there[MACHINE_VOTES];                                                         \
        machine_predict(__VA_ARGS__, there);                                                  \
        for (unsigned v = 0; v < MACHINE_VOTES; ++v) printf("%u ", (unsigned)there[v]);       \
    } while (0)
#elif defined(VALUE)
#define PRINT_ANSWER(...) print_value(machine_predict(__VA_ARGS__))
#else
#define PRINT_ANSWER(...) printf("%lu ", (unsigned long)machine_predict(__VA_ARGS__))
#endif
