// All that a CPU target compiles, in the order of use. A target includes its vector types first, then this file, inside
// its own namespace; nothing else includes these files, and they include nothing themselves.

#include "simd/words.inl"
#include "simd/counter.inl"
#include "simd/misses.inl"

#include "patches.inl"

#include "learn/lists.inl"
#include "learn/weak_every.inl"
#include "learn/weak_rota.inl"
#include "learn/weak_bernoulli.inl"
#include "learn/learner.inl"
#include "learn/tape.inl"
#include "learn/defer.inl"
#include "learn/outputs.inl"
#include "learn/tolerance.inl"
#include "learn/late.inl"
#include "learn/vote.inl"
#include "learn/selection.inl"
#include "learn/feedback.inl"
#include "learn/weights.inl"
#include "learn/patches.inl"
#include "learn/step.inl"

#include "predict.inl"

#define ADTM_PREPARE(States) \
    {prepare_bank<States, WeakEvery>, prepare_bank<States, WeakRota>, prepare_bank<States, WeakBernoulli>}
#define ADTM_TRAIN(States, Weak) {train_bank<States, Weak, Strict>, train_bank<States, Weak, Tolerant>}
#define ADTM_BY_WEAK(States) \
    {ADTM_TRAIN(States, WeakEvery), ADTM_TRAIN(States, WeakRota), ADTM_TRAIN(States, WeakBernoulli)}
#define ADTM_KERNELS(name)                        \
    {name,                                        \
     {ADTM_PREPARE(U8x64), ADTM_PREPARE(U16x64)}, \
     {ADTM_BY_WEAK(U8x64), ADTM_BY_WEAK(U16x64)}, \
     batch_columns,                               \
     vote,                                        \
     vote_on_patches}
