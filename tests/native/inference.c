/* Asks a generated program about the rows of rows.h, and prints the votes and the answer of each. */
#include <stdio.h>

#include "machine.h"
#include "rows.h"

#include "answers.h"

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
        PRINT_ANSWER(features);
        printf("\n");
    }
    return 0;
}
