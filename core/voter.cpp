#include "voter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "grid.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace adtm {

Voter::Voter(const Settings& settings, uint32_t n_banks, const int32_t* weights, const IncludeOf& include,
             const Kernels& kernels, uint32_t n_threads)
    : n_banks_(n_banks),
      n_outputs_(settings.n_outputs),
      n_literals_(settings.n_literals),
      grid_(settings.grid),
      kernels_(kernels) {
    const uint32_t m = settings.n_clauses, blocks = (n_literals_ + 63) / 64;
    const size_t n_all = static_cast<size_t>(n_banks) * m;
    constexpr size_t kChunk = 64;  // clauses that one thread reads at a time
    const auto for_each_clause = [&](auto visit) {
        const size_t n_chunks = (n_all + kChunk - 1) / kChunk;
        std::vector<std::vector<uint64_t>> words(std::min<size_t>(n_threads, n_chunks), std::vector<uint64_t>(blocks));
        for_each_unit(n_chunks, n_threads, [&](uint64_t chunk, uint32_t worker) {
            for (size_t c = chunk * kChunk; c < n_all && c < (chunk + 1) * kChunk; ++c)
                visit(c, include(c, words[worker].data()));
        });
    };

    // First find how much room each clause takes, then write its literals.
    std::vector<uint32_t> sizes(n_all);  // 0 for an empty clause, which does not vote
    std::vector<uint16_t> most(n_all);  // votes where no literal fails
    for_each_clause([&](size_t c, const uint64_t* mask) {
        uint32_t size = 0;
        for (uint32_t block = 0; block < blocks; ++block) size += static_cast<uint32_t>(std::popcount(mask[block]));
        sizes[c] = size;
        most[c] = static_cast<uint16_t>(std::min(size, settings.most_votes));
    });
    // Many samples are voted on by lists, and so are patches, eight literals at a time. Of one sample words of bits are
    // counted faster than many literals are looked up. A list of very many, as a young machine has, would take much room.
    const uint32_t words = (n_literals_ + 31) / 32;
    const bool patches = grid_.n_patches != 0;
    const auto list_room = [=](uint32_t size) {
        constexpr uint32_t kLongest = 8;  // literals for each word
        return patches ? round_up(size, 8) : size <= kLongest * words ? size : 0;
    };
    const auto mask_room = [=](uint32_t size) { return !patches && size >= words ? words : 0; };

    // On patches every clause is read to its end. Clauses of one length stand together, so that the CPU can predict the
    // end.
    std::vector<size_t> order(n_all);
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t first = 0; patches && first < n_all; first += m)
        std::stable_sort(order.data() + first, order.data() + first + m,
                         [&](size_t a, size_t b) { return list_room(sizes[a]) < list_room(sizes[b]); });
    std::vector<uint64_t> place(n_all), mask_place(n_all);
    uint64_t end = 0, mask_end = 0;
    for (const size_t c : order) {
        if (bank_start_.size() == c / m) bank_start_.push_back(clause_start_.size());
        place[c] = end, mask_place[c] = mask_end;
        if (sizes[c] == 0) continue;
        clause_start_.push_back(end), mask_start_.push_back(mask_end);
        most_votes_.push_back(most[c]);
        end += list_room(sizes[c]), mask_end += mask_room(sizes[c]);
    }
    bank_start_.push_back(clause_start_.size());
    clause_start_.push_back(end), mask_start_.push_back(mask_end);
    clause_literals_.resize(end), masks_.resize(mask_end);
    for_each_clause([&](size_t c, const uint64_t* mask) {
        for (uint32_t w = 0; w < mask_room(sizes[c]); ++w)
            masks_[mask_place[c] + w] = static_cast<uint32_t>(mask[w / 2] >> (w % 2 * 32));
        uint32_t* to = clause_literals_.data() + place[c];
        uint32_t* const last = to + list_room(sizes[c]);
        for (uint32_t block = 0; block < blocks && to < last; ++block)
            for (uint64_t rest = mask[block]; rest != 0; rest &= rest - 1)
                *to++ = 64 * block + static_cast<uint32_t>(std::countr_zero(rest));
        while (to < last) *to++ = grid_.blank;
    });
    for (const size_t c : order)
        for (uint32_t output = 0; output < n_outputs_ && sizes[c] != 0; ++output)
            weights_.push_back(weights[(c / m * n_outputs_ + output) * m + c % m]);
}

template <class Element>
Voter Voter::of_states(const Settings& settings, uint32_t n_banks, const Element* states, const int32_t* weights,
                       const Kernels& kernels, uint32_t n_threads) {
    const uint32_t n = settings.n_literals, n_states = settings.n_states;
    const auto include = [=](size_t clause, uint64_t* words) {
        const Element* state = states + clause * n;
        // First write flags, which the compiler vectorises; then a product turns eight bytes into eight bits.
        for (uint32_t base = 0; base < n; base += 64) {
            uint8_t flags[64] = {};
            const uint32_t here = n - base < 64 ? n - base : 64;
            for (uint32_t k = 0; k < here; ++k) flags[k] = state[base + k] >= n_states;
            words[base / 64] = 0;
            for (uint32_t part = 0; part < 8; ++part) {
                uint64_t eight;
                std::memcpy(&eight, flags + 8 * part, 8);
                words[base / 64] |= ((eight * 0x0102040810204080u) >> 56) << (8 * part);
            }
        }
        return static_cast<const uint64_t*>(words);
    };
    return Voter(settings, n_banks, weights, include, kernels, n_threads);
}

template Voter Voter::of_states(const Settings&, uint32_t, const uint8_t*, const int32_t*, const Kernels&, uint32_t);
template Voter Voter::of_states(const Settings&, uint32_t, const uint16_t*, const int32_t*, const Kernels&, uint32_t);

Compiled Voter::compiled() const {
    return {
        .n_banks = n_banks_,
        .n_literals = n_literals_,
        .n_clauses = n_clauses(),
        .bank_start = bank_start_.data(),
        .clause_start = clause_start_.data(),
        .clause_literals = clause_literals_.data(),
        .mask_start = mask_start_.data(),
        .masks = masks_.data(),
        .weights = weights_.data(),
        .most_votes = most_votes_.data(),
        .grid = &grid_,
        .n_outputs = n_outputs_,
    };
}

// Without the queue, the batches and the buffers of many samples: they would take longer than a small machine does.
void Voter::votes_of_one(const uint64_t* literals, uint32_t row_words, int32_t* out) const {
    if (grid_.n_patches != 0) return votes(literals, 1, row_words, 1, out);
    const Compiled model = compiled();
    VoteJob job{};
    job.model = &model;
    job.literals = literals;
    job.row_words = row_words;
    job.n_samples = 1;
    job.last_bank = n_banks_;
    job.votes = out;
    std::fill_n(out, n_votes(), 0);
    kernels_.vote(&job);
}

// A piece of work is a batch of samples. The last batches are split: a piece is some of the banks, so that all threads
// end together. A thread has to transpose the batch for each such piece, so there are only about four for a thread.
void Voter::votes(const uint64_t* literals, uint64_t n_samples, uint32_t row_words, uint32_t n_threads,
                  int32_t* out) const {
    const Compiled model = compiled();
    const bool patches = grid_.n_patches != 0;
    const uint64_t n_batches = (n_samples + kBatch - 1) / kBatch;
    const uint64_t rounds = n_batches / n_threads;
    const uint64_t n_whole = n_threads == 1 ? n_batches : (rounds > 2 ? rounds - 1 : rounds) * n_threads;
    const uint64_t n_shared = n_batches - n_whole;
    const uint64_t n_parts =
        std::min<uint64_t>(n_banks_, n_shared == 0 ? 1 : (uint64_t{4} * n_threads + n_shared - 1) / n_shared);
    const uint64_t n_pieces = n_whole + n_shared * n_parts;
    const uint32_t members = static_cast<uint32_t>(std::min<uint64_t>(n_threads, std::max<uint64_t>(n_pieces, 1)));
    std::vector<Buffer<uint64_t>> columns;
    std::vector<uint64_t> at(members, ~uint64_t{0});  // the batch that a thread's columns hold
    const size_t n_columns =
        n_samples > kFew && !patches ? static_cast<size_t>(round_up(n_literals_ / 2 + 1, 64)) * (kBatch / 64) : 0;
    for (uint32_t i = 0; i < members; ++i) columns.emplace_back(n_columns, false);
    std::vector<PatchMemory> images;
    std::vector<Buffer<uint64_t>> best;
    for (uint32_t i = 0; i < members; ++i) images.emplace_back(grid_);
    for (uint32_t i = 0; i < members; ++i) best.emplace_back(grid_.lane_words);
    for_each_unit(n_pieces, members, [&](uint64_t piece, uint32_t worker) {
        const bool whole = piece < n_whole;
        const uint64_t batch = whole ? piece : n_whole + (piece - n_whole) / n_parts;
        const uint64_t part = whole ? 0 : (piece - n_whole) % n_parts, of_parts = whole ? 1 : n_parts;
        const uint32_t bank = static_cast<uint32_t>(n_banks_ * part / of_parts);
        const uint32_t last_bank = static_cast<uint32_t>(n_banks_ * (part + 1) / of_parts);
        const uint64_t first = batch * kBatch, left = n_samples - first;
        const VoteJob job{
            .model = &model,
            .literals = literals + first * row_words,
            .row_words = row_words,
            .n_samples = static_cast<uint32_t>(std::min<uint64_t>(left, kBatch)),
            .first_bank = bank,
            .last_bank = last_bank,
            .votes = out + first * n_votes(),
            .columns = columns[worker].data(),
            .patches = images[worker].buffers(),
            .best = best[worker].data(),
        };
        const size_t n_here = static_cast<size_t>(job.last_bank - job.first_bank) * n_outputs_;
        for (uint32_t i = 0; i < job.n_samples; ++i)
            std::fill_n(job.votes + i * n_votes() + size_t{bank} * n_outputs_, n_here, 0);
        if (patches) return kernels_.vote_on_patches(&job);
        if (job.n_samples > kFew && at[worker] != batch) kernels_.columns(&job), at[worker] = batch;
        kernels_.vote(&job);
    });
}

// A number has the vote in its upper half, and in its lower half how many columns come later in the order: the largest
// number wins. Minima and maxima need no branch, and a CPU could not predict who wins.
static void find_winners(const int32_t* votes, size_t n_rows, uint32_t n_columns, const uint32_t* order,
                         int64_t* winners, bool* tied) {
    const auto numbered = [&](uint32_t k) {
        return static_cast<int64_t>(votes[order[k]]) * (int64_t{1} << 32) + (n_columns - 1 - k);
    };
    for (size_t i = 0; i < n_rows; ++i, votes += n_columns) {
        int64_t best = numbered(0), second = INT64_MIN;
        for (uint32_t k = 1; k < n_columns; ++k) {
            const int64_t here = numbered(k);
            second = std::max(second, std::min(best, here));
            best = std::max(best, here);
        }
        winners[i] = order[n_columns - 1 - static_cast<uint32_t>(best)];
        tied[i] = n_columns > 1 && best >> 32 == second >> 32;
    }
}

void first_largest(const int32_t* votes, size_t n_rows, uint32_t n_columns, const uint32_t* order, uint32_t n_threads,
                   int64_t* winners, bool* tied) {
    constexpr size_t kRows = 4096;  // one thread takes so many at a time
    for_each_unit((n_rows + kRows - 1) / kRows, n_threads, [=](uint64_t unit, uint32_t) {
        const size_t first = unit * kRows, here = std::min(kRows, n_rows - first);
        find_winners(votes + first * n_columns, here, n_columns, order, winners + first, tied + first);
    });
}

}  // namespace adtm
