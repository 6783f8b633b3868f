// A model that is ready to vote: the included literals of every clause that is not empty. It is made once for a fitted
// state.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "types.hpp"

namespace adtm {

// Gives the include mask of clause bank * n_clauses + j. It may write the mask into the given words, one bit per
// literal.
using IncludeOf = std::function<const uint64_t*(size_t clause, uint64_t* words)>;

class Voter {
  public:
    // weights: [n_banks][n_outputs][n_clauses]. Of the settings it reads only the sizes and the most votes of a clause.
    Voter(const Settings& settings, uint32_t n_banks, const int32_t* weights, const IncludeOf& include,
          const Kernels& kernels, uint32_t n_threads);

    // From states 0 .. 2N - 1, [n_banks][n_clauses][n_literals]: a literal is included when its state is at least N.
    template <class Element>
    static Voter of_states(const Settings& settings, uint32_t n_banks, const Element* states, const int32_t* weights,
                           const Kernels& kernels, uint32_t n_threads);

    // out: [n_samples][n_votes]
    void votes(const uint64_t* literals, uint64_t n_samples, uint32_t row_words, uint32_t n_threads,
               int32_t* out) const;
    // out: [n_votes]
    void votes_of_one(const uint64_t* literals, uint32_t row_words, int32_t* out) const;
    uint32_t n_votes() const { return n_banks_ * n_outputs_; }
    // Literals of a sample. An image has more than its patches have.
    uint32_t sample_literals() const {
        return grid_.n_patches == 0 ? n_literals_ : 2 * grid_.height * grid_.width * grid_.channels;
    }
    uint64_t n_clauses() const { return clause_start_.size() - 1; }

  private:
    Compiled compiled() const;

    uint32_t n_banks_, n_outputs_, n_literals_;
    Grid grid_;
    const Kernels& kernels_;
    std::vector<uint64_t> bank_start_, clause_start_, mask_start_;
    std::vector<uint32_t> clause_literals_, masks_;
    std::vector<int32_t> weights_;  // [clauses that are not empty][n_outputs]
    std::vector<uint16_t> most_votes_;  // [clauses that are not empty]
};

// The largest vote in each row of votes [n_rows][n_columns]: winners[i] is its column, and tied[i] says whether several
// are the largest. Of several, the winner is the first in the given order of columns.
void first_largest(const int32_t* votes, size_t n_rows, uint32_t n_columns, const uint32_t* order, uint32_t n_threads,
                   int64_t* winners, bool* tied);

}  // namespace adtm
