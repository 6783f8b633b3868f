/* Answers questions about the arithmetic of core/common, so that Python can ask the same of its own: each line of the
   input is a name and four numbers, each line of the output what the function of that name returns for them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../core/common/draws.h"
#include "../../core/common/goal.h"
#include "../../core/common/rota.h"
#include "../../core/common/tape.h"
#include "../../core/common/weyl.h"

int main(void) {
    char name[32];
    uint64_t a, b, c, d;
    while (scanf("%31s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, name, &a, &b, &c, &d) == 5) {
        const uint32_t b32 = (uint32_t)b, c32 = (uint32_t)c;
        if (strcmp(name, "absorb") == 0) {
            printf("%" PRIu64 "\n", adtm_absorb(a, b));
        } else if (strcmp(name, "word") == 0) {
            printf("%" PRIu32 "\n", adtm_word(a, b32));
        } else if (strcmp(name, "coin") == 0) {
            printf("%" PRIu32 "\n", adtm_coin(a, b32));
        } else if (strcmp(name, "tape") == 0) {
            const adtm_stretch piece = adtm_tape(a, b, c, (uint32_t)d);
            printf("%" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32 "\n", piece.cycle, piece.updates, piece.from,
                   piece.to);
        } else if (strcmp(name, "toss_of") == 0) {
            printf("%" PRIu64 "\n", adtm_toss_of((uint32_t)a, b, c32));
        } else if (strcmp(name, "class_goal") == 0 || strcmp(name, "value_goal") == 0) {
            const int32_t vote = (int32_t)((int64_t)a - INT64_C(2147483648)); /* told from 2^31 upwards */
            const adtm_goal goal =
                name[0] == 'c' ? adtm_class_goal(vote, (int32_t)b, c32) : adtm_value_goal(vote, (int32_t)b, c32);
            printf("%" PRIu32 " %" PRIu32 " %d", goal.gap, goal.span, goal.up);
            if (goal.gap != 0 && goal.gap != goal.span) printf(" %" PRIu32, adtm_threshold(goal));
            printf("\n");
        } else if (strcmp(name, "rota_ahead") == 0) {
            printf("%" PRIu32 "\n", adtm_rota_ahead(a, b32));
        } else if (strcmp(name, "rota_turn") == 0) {
            printf("%d\n", adtm_rota_turn((uint32_t)a, b32, c32));
        } else if (strcmp(name, "rota_turns") == 0) {
            const adtm_turns turns = adtm_rota_turns((uint32_t)a, b32);
            printf("%" PRIu32 " %" PRIu32 "\n", turns.whole, turns.rest);
        } else if (strcmp(name, "rota_wait") == 0) {
            printf("%" PRIu64 "\n", adtm_rota_wait((uint32_t)a, b32, c32));
        } else if (strcmp(name, "weyl_selection") == 0) {
            printf("%" PRIu32 "\n", adtm_weyl_selection(a));
        } else if (strcmp(name, "constants") == 0) {
            printf("%d %d %d %d %d %d\n", ADTM_START, ADTM_SELECT, ADTM_COIN, ADTM_WEAK, ADTM_OTHER_CLASS,
                   ADTM_SHUFFLE);
            printf("%" PRIu32 " %" PRIu32 " %" PRIu32 " %d\n", ADTM_WEYL_CLAUSE, ADTM_WEYL_STEP, ADTM_WEYL_SAMPLE,
                   ADTM_PHASE_STRIDE);
        } else {
            return 1;
        }
    }
    return 0;
}
