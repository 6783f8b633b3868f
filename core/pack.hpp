// Packing: tables of raw values become rows of literal bits.
//
// Every function here writes the features, bits 0 .. o - 1, into rows of 64-bit words that are 0; bit k of a row is bit
// k % 64 of word k / 64. `append_negations` then writes the other half of the literals. Python decides what the bits
// mean (thresholds, categories, names of columns). bind_pack.cpp checks shapes and alignment; the functions here check
// values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace adtm::pack {

/// Rows of literal words, C-contiguous, n_rows x n_words.
template <typename Word>
struct Rows {
    Word* data;
    std::size_t n_rows;
    std::size_t n_words;

    Word* row(std::size_t i) const { return data + i * n_words; }
    Rows part(std::size_t begin, std::size_t end) const { return {row(begin), end - begin, n_words}; }
    std::size_t n_bits() const { return n_words * 64; }
};
using Words = Rows<std::uint64_t>;  // to be filled
using ReadWords = Rows<const std::uint64_t>;

/// A read-only table with any strides, counted in elements.
template <typename T>
struct Table {
    const T* data;
    std::size_t n_rows;
    std::size_t n_columns;
    std::int64_t row_stride;
    std::int64_t column_stride;

    Table part(std::size_t begin, std::size_t end) const {
        return {data + static_cast<std::int64_t>(begin) * row_stride, end - begin, n_columns, row_stride,
                column_stride};
    }
};

/// A sparse table in CSR form. Values that are not stored are zero.
template <typename Index, typename T>
struct Csr {
    const Index* indptr;  // n_rows + 1
    const Index* indices;  // n_stored
    const T* values;  // n_stored
    std::size_t n_rows;
    std::size_t n_columns;
    std::size_t n_stored;
};

/// How one numeric column becomes bits: bit first + j is "x <= thresholds[j]", NaN sets only `missing` (if >= 0).
struct Cuts {
    const double* thresholds;  // ascending
    std::size_t count;
    std::size_t first;
    std::int64_t missing;
};

/// What is wrong with a sparse table.
enum class CsrFault { none, bad_indptr, bad_index };

/// bits[i, j] -> bit first + j. False if some byte is neither 0 nor 1; the rows may then have any bits.
bool bits(const Table<std::uint8_t>& table, std::size_t first, const Words& words);

/// table[i, j] against cuts[j].
void thresholds(const Table<double>& table, const std::vector<Cuts>& cuts, const Words& words);

/// codes[i] in [0, width) -> bit first + codes[i]; -1 sets nothing. False on any other code.
bool codes(const Table<std::int32_t>& column, std::size_t width, std::size_t first, const Words& words);

/// As `thresholds`, for one value: bit k of the column is bit `offset` + k * `stride` of the row. NaN sets only the
/// bit for missing values.
void value(double x, const Cuts& cuts, std::size_t stride, std::size_t offset, std::uint64_t* row);

/// Sets bit k of a row.
inline void set_bit(std::uint64_t* row, std::size_t k) { row[k / 64] |= std::uint64_t{1} << (k % 64); }

/// ORs the lowest `count` (1..64) bits of `value` into the row at bit `at`; higher bits of value must be 0.
inline void deposit(std::uint64_t* row, std::size_t at, std::uint64_t value, std::size_t count) {
    const std::size_t shift = at % 64;
    row[at / 64] |= value << shift;
    if (shift + count > 64) row[at / 64 + 1] |= value >> (64 - shift);
}

/// Eight bytes, 0 or 1 each, as eight bits: one multiplication moves byte i to bit 56 + i.
inline std::uint64_t eight_flags(const std::uint8_t* p) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, 8);
    if constexpr (std::endian::native == std::endian::little) return (bytes * 0x0102040810204080ULL) >> 56;
    std::uint64_t out = 0;
    for (unsigned i = 0; i < 8; ++i) out |= static_cast<std::uint64_t>(p[i] & 1U) << i;
    return out;
}

/// Stored non-zero values of column j -> bit j.
template <typename Index>
CsrFault csr_bits(const Csr<Index, std::uint8_t>& table, const Words& words);

/// As `thresholds`, for a sparse table: a value that is not stored is compared as 0.
template <typename Index>
CsrFault csr_thresholds(const Csr<Index, double>& table, const std::vector<Cuts>& cuts, const Words& words);

/// Bits o..2o-1 become the negations of bits 0..o-1; all bits after them become 0.
void append_negations(const Words& words, std::size_t n_features);

/// The first row that is not sound, or n_rows. In a sound row bits o..2o-1 negate bits 0..o-1, and all others are 0.
std::size_t first_unsound(const ReadWords& words, std::size_t n_features);

/// The distinct numbers of a column, ascending, each with its count. NaN has its own count; -0 is 0.
struct Distinct {
    std::vector<double> values;
    std::vector<std::int64_t> counts;
    std::int64_t n_missing = 0;
};
Distinct distinct(const Table<double>& column);

}  // namespace adtm::pack
