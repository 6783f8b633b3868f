/* Asks a generated program about the rows of rows.h, and prints the votes and the answer of each. */
#include <stdio.h>
#include <string.h>

#include "machine.h"
#include "rows.h"

/* The index of a class, 0 or 1 for each label, or the bits of a value: not every C library can print a double. */
static void print_answer(const uint32_t *features) {
#if defined(LABELS)
    uint8_t labels[MACHINE_VOTES];
    machine_predict(features, labels);
    for (unsigned v = 0; v < MACHINE_VOTES; ++v) printf("%u ", (unsigned)labels[v]);
    printf("\n");
#elif defined(VALUE)
    const double value = machine_predict(features);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    printf("0x%08lx%08lx\n", (unsigned long)(bits >> 32), (unsigned long)(bits & 0xFFFFFFFFu));
#else
    printf("%lu\n", (unsigned long)machine_predict(features));
#endif
}

int main(void) {
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; ++i) {
        int32_t votes[MACHINE_VOTES];
#if defined(TABLE)
        uint32_t features[MACHINE_WORDS];
        machine_features(&rows[i], features);
#elif defined(IMAGE)
        uint32_t features[MACHINE_WORDS];
        machine_features(rows[i], features);
#else
        const uint32_t *const features = rows[i];
#endif
        machine_votes(features, votes);
        for (unsigned v = 0; v < MACHINE_VOTES; ++v) printf("%ld ", (long)votes[v]);
        print_answer(features);
    }
    return 0;
}
