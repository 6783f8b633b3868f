// See pack.hpp. This is portable C++ without vectors: memory limits the speed of packing, not arithmetic.
#include "pack.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace adtm::pack {
namespace {

constexpr std::uint64_t ones = ~std::uint64_t{0};

template <typename T>
const T* row_of(const Table<T>& table, std::size_t i) {
    return table.data + static_cast<std::int64_t>(i) * table.row_stride;
}

/// Sets (or clears) bits begin..end-1. The caller has checked that end is inside the row.
template <bool value>
void fill_run(std::uint64_t* row, std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    const auto put = [](std::uint64_t& word, std::uint64_t mask) { word = value ? word | mask : word & ~mask; };
    const std::size_t first = begin / 64, last = (end - 1) / 64;
    const std::uint64_t head = ones << (begin % 64), tail = ones >> (63 - (end - 1) % 64);
    if (first == last) return put(row[first], head & tail);
    put(row[first], head);
    for (std::size_t w = first + 1; w < last; ++w) put(row[w], ones);
    put(row[last], tail);
}

/// Eight bytes, 0 or 1 each, as eight bits; `seen` collects all bits of all bytes.
std::uint64_t eight_bits(const std::uint8_t* p, std::uint64_t& seen) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, 8);
    seen |= bytes;
    return eight_flags(p);
}

/// The number of thresholds below x, without branches on the data; for NaN, all of them.
std::size_t rank(const Cuts& cuts, double x) {
    std::size_t at = 0, left = cuts.count;
    while (left > 1) {
        const std::size_t half = left / 2;
        at += x <= cuts.thresholds[at + half - 1] ? 0 : half;
        left -= half;
    }
    return left == 1 && !(x <= cuts.thresholds[at]) ? at + 1 : at;
}

void put_value(std::uint64_t* row, const Cuts& cuts, double x) {
    fill_run<true>(row, cuts.first + rank(cuts, x), cuts.first + cuts.count);
    if (cuts.missing >= 0 && std::isnan(x)) set_bit(row, static_cast<std::size_t>(cuts.missing));
}

/// Calls use(row, column, value) for every stored value. It checks each index when it reads it.
template <typename Index, typename T, typename Start, typename Use>
CsrFault for_each_stored(const Csr<Index, T>& table, const Words& words, Start start, Use use) {
    for (std::size_t i = 0; i < table.n_rows; ++i) {
        const Index begin = table.indptr[i], end = table.indptr[i + 1];
        if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > table.n_stored) return CsrFault::bad_indptr;
        std::uint64_t* const row = words.row(i);
        start(row);
        for (std::size_t at = static_cast<std::size_t>(begin); at < static_cast<std::size_t>(end); ++at) {
            const Index column = table.indices[at];
            if (column < 0 || static_cast<std::uint64_t>(column) >= table.n_columns) return CsrFault::bad_index;
            use(row, static_cast<std::size_t>(column), table.values[at]);
        }
    }
    return CsrFault::none;
}

/// A hash table with open addressing, from numbers to counts. A key is the bits of a number; all ones, a NaN, means
/// "free".
class Counter {
  public:
    Counter() : keys_(64, ones), counts_(64, 0) {}

    void add(double x, std::int64_t count) {
        const std::size_t slot = find(std::bit_cast<std::uint64_t>(x));
        counts_[slot] += count;
        if (keys_[slot] != ones) return;
        keys_[slot] = std::bit_cast<std::uint64_t>(x);
        if (++used_ * 2 > keys_.size()) grow();
    }

    template <typename Use>
    void each(Use use) const {
        for (std::size_t slot = 0; slot < keys_.size(); ++slot)
            if (keys_[slot] != ones) use(std::bit_cast<double>(keys_[slot]), counts_[slot]);
    }

    std::size_t size() const { return used_; }

  private:
    std::size_t find(std::uint64_t key) const {
        const std::size_t mask = keys_.size() - 1;
        // Small whole numbers differ in their high bits alone: multiply, then use the high half.
        std::size_t slot = static_cast<std::size_t>((key ^ (key >> 32)) * 0x9E3779B97F4A7C15ULL >> 32) & mask;
        while (keys_[slot] != key && keys_[slot] != ones) slot = (slot + 1) & mask;
        return slot;
    }

    void grow() {
        std::vector<std::uint64_t> keys(keys_.size() * 2, ones);
        std::vector<std::int64_t> counts(keys_.size() * 2, 0);
        keys.swap(keys_);
        counts.swap(counts_);
        for (std::size_t old = 0; old < keys.size(); ++old) {
            if (keys[old] == ones) continue;
            const std::size_t slot = find(keys[old]);
            keys_[slot] = keys[old];
            counts_[slot] = counts[old];
        }
    }

    std::vector<std::uint64_t> keys_;
    std::vector<std::int64_t> counts_;
    std::size_t used_ = 0;
};

}  // namespace

bool bits(const Table<std::uint8_t>& table, std::size_t first, const Words& words) {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < table.n_rows; ++i) {
        const std::uint8_t* const source = row_of(table, i);
        std::uint64_t* const row = words.row(i);
        std::size_t j = 0;
        if (table.column_stride == 1) {
            for (; j + 64 <= table.n_columns; j += 64) {
                std::uint64_t word = 0;
                for (unsigned byte = 0; byte < 8; ++byte) word |= eight_bits(source + j + 8 * byte, seen) << (8 * byte);
                deposit(row, first + j, word, 64);
            }
            for (; j + 8 <= table.n_columns; j += 8) deposit(row, first + j, eight_bits(source + j, seen), 8);
        }
        for (; j < table.n_columns; ++j) {
            const std::uint8_t bit = source[static_cast<std::int64_t>(j) * table.column_stride];
            seen |= bit;
            deposit(row, first + j, bit & 1U, 1);
        }
        if ((seen & ~0x0101010101010101ULL) != 0) return false;
    }
    return true;
}

void thresholds(const Table<double>& table, const std::vector<Cuts>& cuts, const Words& words) {
    for (std::size_t i = 0; i < table.n_rows; ++i) {
        const double* source = row_of(table, i);
        std::uint64_t* const row = words.row(i);
        for (const Cuts& column : cuts) {
            put_value(row, column, *source);
            source += table.column_stride;
        }
    }
}

void value(double x, const Cuts& cuts, std::size_t stride, std::size_t offset, std::uint64_t* row) {
    if (stride == 1 && offset == 0) return put_value(row, cuts, x);
    for (std::size_t k = rank(cuts, x); k < cuts.count; ++k) set_bit(row, (cuts.first + k) * stride + offset);
    if (cuts.missing >= 0 && std::isnan(x)) set_bit(row, static_cast<std::size_t>(cuts.missing) * stride + offset);
}

bool codes(const Table<std::int32_t>& column, std::size_t width, std::size_t first, const Words& words) {
    for (std::size_t i = 0; i < column.n_rows; ++i) {
        const std::int32_t code = *row_of(column, i);
        if (code == -1) continue;
        if (code < 0 || static_cast<std::size_t>(code) >= width) return false;
        set_bit(words.row(i), first + static_cast<std::size_t>(code));
    }
    return true;
}

template <typename Index>
CsrFault csr_bits(const Csr<Index, std::uint8_t>& table, const Words& words) {
    return for_each_stored(
        table, words, [](std::uint64_t*) {},
        [](std::uint64_t* row, std::size_t column, std::uint8_t value) {
            if (value != 0) set_bit(row, column);
        });
}

template <typename Index>
CsrFault csr_thresholds(const Csr<Index, double>& table, const std::vector<Cuts>& cuts, const Words& words) {
    std::vector<std::uint64_t> zeros(words.n_words, 0);  // the row of a sample without stored values
    for (const Cuts& column : cuts) put_value(zeros.data(), column, 0.0);
    return for_each_stored(
        table, words, [&](std::uint64_t* row) { std::copy(zeros.begin(), zeros.end(), row); },
        [&](std::uint64_t* row, std::size_t j, double value) {
            fill_run<false>(row, cuts[j].first, cuts[j].first + cuts[j].count);
            put_value(row, cuts[j], value);
        });
}

template CsrFault csr_bits(const Csr<std::int32_t, std::uint8_t>&, const Words&);
template CsrFault csr_bits(const Csr<std::int64_t, std::uint8_t>&, const Words&);
template CsrFault csr_thresholds(const Csr<std::int32_t, double>&, const std::vector<Cuts>&, const Words&);
template CsrFault csr_thresholds(const Csr<std::int64_t, double>&, const std::vector<Cuts>&, const Words&);

void append_negations(const Words& words, std::size_t n_features) {
    for (std::size_t i = 0; i < words.n_rows; ++i) {
        std::uint64_t* const row = words.row(i);
        fill_run<false>(row, n_features, words.n_bits());
        for (std::size_t at = 0; at < n_features; at += 64) {
            const std::size_t count = std::min<std::size_t>(64, n_features - at);
            // The first negations may be in the same word as the last features: read before writing.
            const std::uint64_t negated = ~row[at / 64] & (ones >> (64 - count));
            deposit(row, n_features + at, negated, count);
        }
    }
}

std::size_t first_unsound(const ReadWords& words, std::size_t n_features) {
    const std::size_t end = 2 * n_features, shift = n_features % 64;
    const std::size_t whole =
        end / 64;  // words that are full of literals; the next may have some, the others have none
    for (std::size_t i = 0; i < words.n_rows; ++i) {
        const std::uint64_t* const row = words.row(i);
        std::uint64_t wrong = 0;
        for (std::size_t at = 0; at < n_features; at += 64) {
            const std::size_t count = std::min<std::size_t>(64, n_features - at), first = (n_features + at) / 64;
            std::uint64_t negated = row[first] >> shift;
            if (shift + count > 64) negated |= row[first + 1] << (64 - shift);
            wrong |= (row[at / 64] ^ ~negated) & (ones >> (64 - count));
        }
        if (end % 64 != 0) wrong |= row[whole] >> (end % 64);
        for (std::size_t w = whole + (end % 64 != 0); w < words.n_words; ++w) wrong |= row[w];
        if (wrong != 0) return i;
    }
    return words.n_rows;
}

Distinct distinct(const Table<double>& column) {
    Counter counter;
    Distinct out;
    double previous = 0.0;  // a run of equal values, as in a sorted or sparse column, costs one look-up
    std::int64_t run = 0;
    for (std::size_t i = 0; i < column.n_rows; ++i) {
        const double x = *row_of(column, i) + 0.0;  // -0 + 0 = 0
        if (x == previous) {
            ++run;
        } else if (std::isnan(x)) {
            ++out.n_missing;
        } else {
            if (run > 0) counter.add(previous, run);
            previous = x;
            run = 1;
        }
    }
    if (run > 0) counter.add(previous, run);

    std::vector<std::pair<double, std::int64_t>> pairs;
    pairs.reserve(counter.size());
    counter.each([&](double value, std::int64_t count) { pairs.emplace_back(value, count); });
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [value, count] : pairs) {
        out.values.push_back(value);
        out.counts.push_back(count);
    }
    return out;
}

}  // namespace adtm::pack
