/* Lets a generated learner learn the samples of samples.h, chunk by chunk, and prints all that it is afterwards: a line
   each of states, clocks, steps, weights, counts, votes and answers. A chunk is an epoch, in the order that the learner gives. */
#include <stdio.h>

#include "machine.h"
#include "samples.h"

#include "answers.h"

static machine learner;
static uint32_t order[N_SAMPLES];

#if defined(VALUE)
#define TAUGHT(i) machine_target(taught[i])
#else
#define TAUGHT(i) taught[i]
#endif

static void print_votes(uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        int32_t votes[MACHINE_VOTES];
        machine_votes(&learner, samples[i], votes);
        for (uint32_t v = 0; v < MACHINE_VOTES; ++v) printf("%ld ", (long)votes[v]);
    }
    printf("\n");
    for (uint32_t i = 0; i < n; ++i) PRINT_ANSWER(&learner, samples[i]);
    printf("\n");
}

static void print_machine(void) {
    const uint64_t *const counts = (const uint64_t *)&learner.ledger;
    for (uint32_t b = 0; b < MACHINE_BANKS; ++b) {
        for (uint32_t j = 0; j < MACHINE_CLAUSES; ++j) {
            for (uint32_t k = 0; k < MACHINE_LITERALS; ++k) printf("%u ", (unsigned)learner.states[b][j][k]);
        }
    }
    printf("\n");
    for (uint32_t b = 0; b < MACHINE_BANKS; ++b) {
        for (uint32_t j = 0; j < MACHINE_CLAUSES; ++j) print_wide(learner.updates[b][j]);
    }
    printf("\n");
    for (uint32_t b = 0; b < MACHINE_BANKS; ++b) print_wide(learner.steps[b]);
    printf("\n");
    for (uint32_t v = 0; v < MACHINE_VOTES; ++v) {
        for (uint32_t j = 0; j < MACHINE_CLAUSES; ++j) printf("%ld ", (long)machine_weight(&learner, v, j));
    }
    printf("\n");
    for (uint32_t i = 0; i < sizeof learner.ledger / sizeof *counts; ++i) print_wide(counts[i]);
    printf("\n");
}

int main(void) {
    uint32_t first = FIRST_SAMPLE;
    printf("%lu\n", (unsigned long)sizeof learner);
    /* A machine may be started again, in memory that was used before. */
    for (uint32_t i = 0; i < sizeof learner; ++i) ((unsigned char *)&learner)[i] = 0xa5;
#ifdef RESUMES
    machine_resume(&learner);
#else
    machine_start(&learner);
#endif
    for (uint32_t chunk = 0; chunk < N_CHUNKS; ++chunk) {
        const uint32_t n = chunks[chunk];
        machine_order(&learner, order, n);
        for (uint32_t i = 0; i < n; ++i) machine_learn(&learner, samples[first + order[i]], TAUGHT(first + order[i]));
        machine_end_epoch(&learner);
        first = (first + n) % N_SAMPLES;
        print_machine();
    }
    print_votes(N_VOTED);
    return 0;
}
