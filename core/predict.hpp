// Votes of many samples: 512 samples become one row of bits per literal. A clause that tolerates no failed literal is
// the AND of the rows of its included literals; it stops when no sample is left. Other clauses count the literals that
// fail (simd/misses.hpp). Each clause is evaluated once for all outputs, from its included literals alone. Empty
// clauses do not vote and are not in the model.
#pragma once
#include "patches.hpp"
#include "simd/misses.hpp"
#include "simd/transpose.hpp"
#include "types.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// The second half of the literals are the negations of the first: there are columns of the first half alone, and after them
// one that says which samples exist.
void batch_columns(const VoteJob* job) {
    const uint32_t half = job->model->n_literals / 2, blocks = (half + 63) / 64;
    const auto samples_of = [n = job->n_samples](uint32_t word) {
        const uint32_t left = n > 64 * word ? n - 64 * word : 0;
        return left < 64 ? left : 64;
    };
    uint64_t tiles[kTiles][kBatch / 64][64];
    for (uint32_t first = 0; first < blocks; first += kTiles) {
        const uint32_t n_tiles = blocks - first < kTiles ? blocks - first : kTiles;
        for (uint32_t word = 0; word < kBatch / 64; ++word) {
            const auto row = [&](uint32_t i) {
                return job->literals + static_cast<size_t>(64 * word + i) * job->row_words;
            };
            gather_tiles(row, samples_of(word), first, n_tiles, tiles[0][word], sizeof tiles[0] / sizeof(uint64_t));
            for (uint32_t t = 0; t < n_tiles && samples_of(word) != 0; ++t) transpose64(tiles[t][word]);
        }
        for (uint32_t t = 0; t < n_tiles; ++t) weave_tiles(tiles[t], job->columns + 64 * (first + t) * (kBatch / 64));
    }
    uint64_t* const exist = job->columns + static_cast<size_t>(half) * (kBatch / 64);
    for (uint32_t word = 0; word < kBatch / 64; ++word) exist[word] = bit_range(0, samples_of(word));
}

// The columns of the literals of clause j, one after the other, until `take` says no: take(column, negated).
template <class Take>
inline void for_each_column(const Compiled& model, uint64_t j, const uint64_t* columns, const Take& take) {
    const uint64_t first = model.clause_start[j], last = model.clause_start[j + 1];
    const uint32_t half = model.n_literals / 2;
    const auto column = [columns](uint32_t k) {
        return Row512::load(columns + static_cast<size_t>(k) * (kBatch / 64));
    };
    if (first < last) {
        const uint32_t *at = model.clause_literals + first, *const end = model.clause_literals + last;
        for (; at < end && *at < half; ++at)
            if (!take(column(*at), false)) return;
        for (; at < end; ++at)
            if (!take(column(*at - half), true)) return;
        return;
    }
    const uint32_t* const mask = model.masks + model.mask_start[j];
    for (uint32_t w = 0; 32 * w < model.n_literals; ++w)
        for (uint32_t rest = mask[w]; rest != 0; rest &= rest - 1) {
            const uint32_t k = 32 * w + lowest_bit(rest);
            if (!(k < half ? take(column(k), false) : take(column(k - half), true))) return;
        }
}

Row512 existing(const Compiled& model, const uint64_t* columns) {
    return Row512::load(columns + static_cast<size_t>(model.n_literals / 2) * (kBatch / 64));
}

// The AND of a clause's literals. It stops when it is zero.
Row512 fires_for_batch(const Compiled& model, uint64_t j, const uint64_t* columns) {
    Row512 fires = existing(model, columns);
    for_each_column(model, j, columns, [&](Row512 column, bool negated) {
        fires = fires & (negated ? ~column : column);
        return !fires.is_zero();
    });
    return fires;
}

// The votes of a clause that tolerates failed literals, as planes: plane p has bit p of the votes of each lane.
template <uint32_t kPlanes>
void count_for_batch(const Compiled& model, uint64_t j, const uint64_t* columns, Row512* planes) {
    const uint32_t size = static_cast<uint32_t>(model.clause_start[j + 1] - model.clause_start[j]);
    const uint32_t most = model.most_votes[j];
    Misses<Row512, kPlanes> misses(size == 0 ? model.n_literals : size);  // 0: very many
    Row512 failed[8];
    uint32_t held = 0, seen = 0;
    for_each_column(model, j, columns, [&](Row512 column, bool negated) {
        failed[held++] = negated ? column : ~column;
        if (held < 8) return true;
        misses.add(failed);
        held = 0;
        return ++seen % 8 != 0 || !misses.all_at_least(most);
    });
    if (held != 0) {
        while (held < 8) failed[held++] = Row512::zero();
        misses.add(failed);
    }
    misses.left(most, planes);
    const Row512 exist = existing(model, columns);
    for (uint32_t p = 0; most >> p != 0; ++p) planes[p] = planes[p] & exist;
}

// The votes of a clause for one sample, from the sample's row of literals.
uint32_t votes_for_one(const Compiled& model, uint64_t j, const uint64_t* row) {
    uint32_t left = model.most_votes[j];
    const uint64_t n_words = model.mask_start[j + 1] - model.mask_start[j];
    const uint32_t* const mask = model.masks + model.mask_start[j];
    for (uint64_t w = 0; w < n_words; ++w) {
        const uint32_t misses = count_bits(mask[w] & ~static_cast<uint32_t>(row[w / 2] >> (w % 2 * 32)));
        if (misses >= left) return 0;
        left -= misses;
    }
    if (n_words != 0) return left;
    for (uint64_t i = model.clause_start[j]; i < model.clause_start[j + 1]; ++i) {
        const uint32_t k = model.clause_literals[i];
        if ((row[k / 64] >> (k % 64) & 1) == 0 && --left == 0) return 0;
    }
    return left;
}

// There are two ways to add up the votes of a batch in one bank, Rows and Tally. Both take the votes of a clause as
// planes, at most `most` in a lane. In the lanes past the last sample no literal holds, so no clause votes.

// For several outputs: sample by sample, all outputs of a sample together. A clause fires for few of the samples.
class Rows {
  public:
    Rows(const VoteJob& job, uint32_t bank)
        : n_outputs(job.model->n_outputs),
          stride(static_cast<size_t>(job.model->n_banks) * n_outputs),
          votes(job.votes + static_cast<size_t>(bank) * n_outputs) {}

    void add(Row512 fires, const int32_t* weights) const { add(&fires, 1, weights); }

    void add(const Row512* planes, uint32_t most, const int32_t* weights) const {
        for (uint32_t p = 0; most >> p != 0; ++p) {
            uint64_t bits[8];
            planes[p].store(bits);
            for (uint32_t word = 0; word < 8; ++word)
                for (uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
                    int32_t* row = of(64 * word + lowest_bit(rest));
                    for (uint32_t o = 0; o < n_outputs; ++o) row[o] += weights[o] * (1 << p);
                }
        }
    }

    int32_t* of(uint32_t sample) const { return votes + sample * stride; }
    void finish() const {}

  private:
    const uint32_t n_outputs;
    const size_t stride;
    int32_t* const votes;
};

// For one output: two bit-sliced counters, one for and one against, as long as the votes fit 16 bits.
class Tally {
  public:
    Tally(const VoteJob& job, uint32_t bank) : n_samples(job.n_samples), rows(job, bank) {}

    void add(Row512 fires, const int32_t* weight) {
        if (*weight != 1 && *weight != -1) return add(&fires, 1, weight);
        Side& side = *weight > 0 ? plus : minus;
        if (side.room-- == 0) flush(side, *weight), --side.room;
        side.counter.add(fires);
    }

    void add(const Row512* planes, uint32_t most, const int32_t* weight) {
        const uint32_t size = static_cast<uint32_t>(*weight < 0 ? -static_cast<int64_t>(*weight) : *weight);
        const uint64_t largest = static_cast<uint64_t>(size) * most;
        if (largest > Counter::kMost) {
            spilled = true;
            return rows.add(planes, most, weight);
        }
        Side& side = *weight > 0 ? plus : minus;
        if (largest > side.room) flush(side, *weight > 0 ? 1 : -1);
        side.room -= static_cast<uint32_t>(largest);
        for (uint32_t bit = 0; size >> bit != 0; ++bit)
            if ((size >> bit & 1) != 0)
                for (uint32_t p = 0; most >> p != 0; ++p) side.counter.add(planes[p], static_cast<int>(p + bit));
    }

    void finish() const {
        uint16_t ups[kBatch], downs[kBatch];
        plus.counter.store<U16x64>(ups);
        minus.counter.store<U16x64>(downs);
        for (uint32_t i = 0; i < n_samples; ++i) *rows.of(i) = (spilled ? *rows.of(i) : 0) + ups[i] - downs[i];
    }

  private:
    struct Side {
        Counter counter;
        uint32_t room = Counter::kMost;
    };

    void flush(Side& side, int32_t sign) {
        uint16_t counts[kBatch];
        side.counter.store<U16x64>(counts);
        for (uint32_t i = 0; i < n_samples; ++i) *rows.of(i) += sign * counts[i];
        side = Side();
        spilled = true;
    }

    const uint32_t n_samples;
    const Rows rows;
    Side plus, minus;
    bool spilled = false;  // whether the rows have some of the votes
};

// The votes of a batch in one bank, from the batch's columns.
template <class Votes>
void vote_in_bank(const VoteJob& job, uint32_t bank) {
    const Compiled& model = *job.model;
    Votes votes(job, bank);
    for (uint64_t j = model.bank_start[bank]; j < model.bank_start[bank + 1]; ++j) {
        const int32_t* weights = model.weights + j * model.n_outputs;
        if (model.most_votes[j] == 1) {
            const Row512 fires = fires_for_batch(model, j, job.columns);
            if (!fires.is_zero()) votes.add(fires, weights);
        } else {
            Row512 planes[16];
            if (model.most_votes[j] <= 255) count_for_batch<8>(model, j, job.columns, planes);
            else count_for_batch<16>(model, j, job.columns, planes);
            votes.add(planes, model.most_votes[j], weights);
        }
    }
    votes.finish();
}

// One of a few samples: each clause reads the sample's row.
void vote_one(const VoteJob& job, uint32_t sample) {
    const Compiled& model = *job.model;
    const uint64_t* row = job.literals + static_cast<size_t>(sample) * job.row_words;
    int32_t* out = job.votes + static_cast<size_t>(sample) * model.n_banks * model.n_outputs;
    for (uint32_t bank = job.first_bank; bank < job.last_bank; ++bank) {
        int32_t* votes = out + static_cast<size_t>(bank) * model.n_outputs;
        for (uint64_t j = model.bank_start[bank]; j < model.bank_start[bank + 1]; ++j) {
            const int32_t count = static_cast<int32_t>(votes_for_one(model, j, row));
            if (count == 0) continue;
            const int32_t* weights = model.weights + j * model.n_outputs;
            for (uint32_t o = 0; o < model.n_outputs; ++o) votes[o] += count * weights[o];
        }
    }
}

void vote(const VoteJob* job) {
    if (job->n_samples <= kFew) {
        for (uint32_t i = 0; i < job->n_samples; ++i) vote_one(*job, i);
        return;
    }
    const auto vote_in = job->model->n_outputs == 1 ? vote_in_bank<Tally> : vote_in_bank<Rows>;
    for (uint32_t bank = job->first_bank; bank < job->last_bank; ++bank) vote_in(*job, bank);
}

// Images, one at a time: every clause of every bank sees all its patches.
void vote_on_patches(const VoteJob* job) {
    const Compiled& model = *job->model;
    const size_t n_votes = static_cast<size_t>(model.n_banks) * model.n_outputs;
    PatchColumns columns(*model.grid, job->patches);
    columns.fill_places();
    for (uint32_t i = 0; i < job->n_samples; ++i) {
        columns.fill_pixels(job->literals + static_cast<size_t>(i) * job->row_words);
        for (uint32_t bank = job->first_bank; bank < job->last_bank; ++bank) {
            int32_t* votes = job->votes + i * n_votes + static_cast<size_t>(bank) * model.n_outputs;
            for (uint64_t j = model.bank_start[bank]; j < model.bank_start[bank + 1]; ++j) {
                const uint64_t start = model.clause_start[j];
                const uint32_t size = static_cast<uint32_t>(model.clause_start[j + 1] - start);
                const uint32_t said = best_patches(*model.grid, job->patches.columns, model.clause_literals + start,
                                                   size, model.most_votes[j], job->best);
                if (said == 0) continue;
                const int32_t* weights = model.weights + j * model.n_outputs;
                for (uint32_t o = 0; o < model.n_outputs; ++o) votes[o] += static_cast<int32_t>(said) * weights[o];
            }
        }
    }
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
