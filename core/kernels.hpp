// All that a CPU target compiles, and the table of its kernels. The .cpp of a target includes its vector types and this
// file.
#pragma once
#include "learn/weak_every.hpp"
#include "learn/weak_rota.hpp"
#include "learn/weak_bernoulli.hpp"
#include "learn/learner.hpp"
#include "learn/tape.hpp"
#include "learn/defer.hpp"
#include "learn/outputs.hpp"
#include "learn/tolerance.hpp"
#include "learn/late.hpp"
#include "learn/vote.hpp"
#include "learn/team.hpp"
#include "learn/selection.hpp"
#include "learn/feedback.hpp"
#include "learn/weights.hpp"
#include "learn/patches.hpp"
#include "learn/step.hpp"
#include "predict.hpp"

namespace adtm::ADTM_TARGET {
namespace {

template <class States, class Weak>
void prepare(TrainJob* job) {
    Learner<LearnerKind<States, Weak, false>>(job).prepare();
}

template <class States, class Weak, bool tolerant>
void train(TrainJob* job) {
    Learner<LearnerKind<States, Weak, tolerant>>(job).train();
}

constexpr Kernels kernels(const char* name) {
    return {
        .name = name,
        .prepare = {{prepare<U8x64, WeakEvery>, prepare<U8x64, WeakRota>, prepare<U8x64, WeakBernoulli>},
                    {prepare<U16x64, WeakEvery>, prepare<U16x64, WeakRota>, prepare<U16x64, WeakBernoulli>}},
        .train = {{{train<U8x64, WeakEvery, false>, train<U8x64, WeakEvery, true>},
                   {train<U8x64, WeakRota, false>, train<U8x64, WeakRota, true>},
                   {train<U8x64, WeakBernoulli, false>, train<U8x64, WeakBernoulli, true>}},
                  {{train<U16x64, WeakEvery, false>, train<U16x64, WeakEvery, true>},
                   {train<U16x64, WeakRota, false>, train<U16x64, WeakRota, true>},
                   {train<U16x64, WeakBernoulli, false>, train<U16x64, WeakBernoulli, true>}}},
        .columns = batch_columns,
        .vote = vote,
        .vote_on_patches = vote_on_patches,
    };
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
