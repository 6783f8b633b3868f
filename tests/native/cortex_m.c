/* What a Cortex-M reads when it is switched on: its stack, and where its program begins. The rest is newlib's. */
#include <stdint.h>

extern void _start(void);

typedef struct {
    uintptr_t stack;
    void (*reset)(void);
} vector_table;

extern const vector_table vectors;
__attribute__((section(".vectors"), used)) const vector_table vectors = {STACK, _start};
