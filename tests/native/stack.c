/* Asks a generated program about the rows of rows.h and prints the answers, then how many bytes of stack one took: the
   stack below is painted before each, and the lowest byte that has changed is looked for. */
#include <stdio.h>

#include "machine.h"
#include "rows.h"

enum { BELOW = 512 };

static __attribute__((noinline)) uint32_t ask(const machine_row *row) {
    uint32_t features[MACHINE_WORDS];
    machine_features(row, features);
    return machine_predict(features);
}

static __attribute__((noinline)) unsigned taken(const machine_row *row, uint32_t *answer) {
    volatile unsigned char *stack;
    unsigned depth = BELOW;
#if defined(__riscv)
    __asm__ volatile("mv %0, sp" : "=r"(stack));
#else
    __asm__ volatile("mov %0, sp" : "=r"(stack));
#endif
    for (unsigned i = 1; i <= BELOW; ++i) stack[-(int)i] = 0xA5;
    *answer = ask(row);
    while (depth > 0 && stack[-(int)depth] == 0xA5) --depth;
    return depth;
}

int main(void) {
    unsigned most = 0;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; ++i) {
        uint32_t answer;
        const unsigned depth = taken(&rows[i], &answer);
        most = depth > most ? depth : most;
        printf("%lu ", (unsigned long)answer);
    }
    printf("%u\n", most);
    return 0;
}
