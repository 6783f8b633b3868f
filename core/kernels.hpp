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
    Learner<LearnerKind<States, Weak, Counting::none>>(job).prepare();
}

template <class States, class Weak, Counting counting>
void train(TrainJob* job) {
    Learner<LearnerKind<States, Weak, counting>>(job).train();
}

constexpr Kernels kernels(const char* name) {
    return {
        .name = name,
        .prepare = {{prepare<U8x64, WeakEvery>, prepare<U8x64, WeakRota>, prepare<U8x64, WeakBernoulli>},
                    {prepare<U16x64, WeakEvery>, prepare<U16x64, WeakRota>, prepare<U16x64, WeakBernoulli>}},
        .train = {{{train<U8x64, WeakEvery, Counting::none>, train<U8x64, WeakEvery, Counting::bytes>,
                    train<U8x64, WeakEvery, Counting::words>},
                   {train<U8x64, WeakRota, Counting::none>, train<U8x64, WeakRota, Counting::bytes>,
                    train<U8x64, WeakRota, Counting::words>},
                   {train<U8x64, WeakBernoulli, Counting::none>, train<U8x64, WeakBernoulli, Counting::bytes>,
                    train<U8x64, WeakBernoulli, Counting::words>}},
                  {{train<U16x64, WeakEvery, Counting::none>, train<U16x64, WeakEvery, Counting::bytes>,
                    train<U16x64, WeakEvery, Counting::words>},
                   {train<U16x64, WeakRota, Counting::none>, train<U16x64, WeakRota, Counting::bytes>,
                    train<U16x64, WeakRota, Counting::words>},
                   {train<U16x64, WeakBernoulli, Counting::none>, train<U16x64, WeakBernoulli, Counting::bytes>,
                    train<U16x64, WeakBernoulli, Counting::words>}}},
        .columns = batch_columns,
        .vote = vote,
        .vote_on_patches = vote_on_patches,
    };
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
