/* The goal of a step: how far the vote is from what it should be, how far it can be, and whether it should rise. */
#ifndef ADTM_GOAL_H
#define ADTM_GOAL_H

#include "function.h"

typedef struct {
    uint32_t gap, span; /* each clause is selected with probability gap / span */
    int up;             /* whether the vote should rise */
} adtm_goal;

/* A class: the vote should reach T for target 1 and -T for target 0. 1 <= T <= 2^30. */
ADTM_FUNCTION adtm_goal adtm_class_goal(int32_t vote, int32_t target, uint32_t T) {
    const int32_t t = (int32_t)T, v = vote < -t ? -t : vote > t ? t : vote;
    adtm_goal goal;
    goal.up = target != 0;
    goal.gap = (uint32_t)(goal.up ? t - v : t + v);
    goal.span = 2 * T;
    return goal;
}

/* A value: the vote should be the target, which is in 0..T. At a distance of T or more every clause is selected. */
ADTM_FUNCTION adtm_goal adtm_value_goal(int32_t vote, int32_t target, uint32_t T) {
    const int32_t t = (int32_t)T, v = vote < -t ? -t : vote > t ? t : vote;
    adtm_goal goal;
    goal.up = target > v;
    goal.gap = (uint32_t)(goal.up ? target - v : v - target);
    if (goal.gap > T) goal.gap = T;
    goal.span = T;
    return goal;
}

/* A clause is selected if its word is below this. Only for 0 < gap < span. */
ADTM_FUNCTION uint32_t adtm_threshold(adtm_goal goal) { return (uint32_t)(((uint64_t)goal.gap << 32) / goal.span); }

#endif
