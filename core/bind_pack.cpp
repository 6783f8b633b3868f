// Binds packing: it checks every shape, size and address, releases the GIL and calls pack.cpp. Errors here do not name
// the value that is wrong; Python finds it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pack.hpp"
#include "threads.hpp"
#include "bind_unlocked.hpp"

namespace nb = nanobind;
namespace pack = adtm::pack;
using namespace nanobind::literals;

namespace {

template <typename T, int n_dims>
using In = nb::ndarray<const T, nb::ndim<n_dims>, nb::device::cpu>;
template <typename T>
using InFlat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InWords = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutWords = nb::ndarray<std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require(bool holds, const std::string& message) {
    if (!holds) throw nb::value_error(message.c_str());
}

std::string text(std::size_t value) { return std::to_string(value); }

/// An array of NumPy may have any address, such as a field of packed records. The kernels read whole elements.
template <typename Array>
void require_aligned(const Array& array, const char* name) {
    const auto address = reinterpret_cast<std::uintptr_t>(array.data());
    require(array.size() == 0 || address % alignof(typename Array::Scalar) == 0,
            std::string(name) + " must be aligned to its element type, got an address that is not");
}

pack::Words words_of(const OutWords& words, std::size_t n_rows) {
    require(words.shape(0) == n_rows,
            "words must have one row per sample: expected " + text(n_rows) + ", got " + text(words.shape(0)));
    // No array is larger than the memory, so n_words * 64 does not overflow for an array with rows.
    require(words.shape(1) < (std::size_t{1} << 48), "words has too many columns: " + text(words.shape(1)));
    require_aligned(words, "words");
    return {words.data(), n_rows, words.shape(1)};
}

template <typename T>
pack::Table<T> table_of(const In<T, 2>& x, const char* name) {
    require_aligned(x, name);
    return {x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
}

template <typename T>
pack::Table<T> column_of(const In<T, 1>& x, const char* name) {
    require_aligned(x, name);
    return {x.data(), x.shape(0), 1, x.stride(0), 0};
}

void require_bits(std::int64_t first, std::size_t count, const pack::Words& words) {
    require(first >= 0 && static_cast<std::size_t>(first) <= words.n_bits() &&
                count <= words.n_bits() - static_cast<std::size_t>(first),
            "bits " + std::to_string(first) + " to " + std::to_string(first) + " + " + text(count) +
                " do not fit into rows of " + text(words.n_bits()) + " bits");
}

/// thresholds[starts[j]..starts[j+1]) belong to column j. The checks here are all that the kernels rely on.
std::vector<pack::Cuts> cuts_of(const InFlat<double>& thresholds, const InFlat<std::int64_t>& starts,
                                const InFlat<std::int64_t>& first_bits, const InFlat<std::int64_t>& missing_bits,
                                std::size_t n_columns, const pack::Words& words) {
    require(first_bits.shape(0) == n_columns && missing_bits.shape(0) == n_columns && starts.shape(0) == n_columns + 1,
            "starts, first_bits and missing_bits must have " + text(n_columns) + " + 1, " + text(n_columns) + " and " +
                text(n_columns) + " entries, got " + text(starts.shape(0)) + ", " + text(first_bits.shape(0)) +
                " and " + text(missing_bits.shape(0)));
    require_aligned(thresholds, "thresholds");
    require_aligned(starts, "starts");
    require_aligned(first_bits, "first_bits");
    require_aligned(missing_bits, "missing_bits");
    std::vector<pack::Cuts> cuts(n_columns);
    for (std::size_t j = 0; j < n_columns; ++j) {
        const std::int64_t begin = starts.data()[j], end = starts.data()[j + 1];
        require(begin >= 0 && end >= begin && static_cast<std::size_t>(end) <= thresholds.shape(0),
                "starts must ascend from 0 to the number of thresholds");
        const auto count = static_cast<std::size_t>(end - begin);
        const std::int64_t first = first_bits.data()[j], missing = missing_bits.data()[j];
        require_bits(first, count, words);
        if (missing >= 0) require_bits(missing, 1, words);
        cuts[j] = {thresholds.data() + begin, count, static_cast<std::size_t>(first), missing};
    }
    return cuts;
}

template <typename Index, typename T>
pack::Csr<Index, T> csr_of(const InFlat<Index>& indptr, const InFlat<Index>& indices, const InFlat<T>& values,
                           std::size_t n_columns) {
    require(indptr.shape(0) >= 1, "indptr must have n_samples + 1 entries, got 0");
    require(indices.shape(0) == values.shape(0), "indices and data must have the same length, got " +
                                                     text(indices.shape(0)) + " and " + text(values.shape(0)));
    require_aligned(indptr, "indptr");
    require_aligned(indices, "indices");
    require_aligned(values, "data");
    return {indptr.data(), indices.data(), values.data(), indptr.shape(0) - 1, n_columns, values.shape(0)};
}

void require_sound(pack::CsrFault fault) {
    require(fault != pack::CsrFault::bad_indptr, "indptr of the sparse matrix must ascend from 0 to its stored values");
    require(fault != pack::CsrFault::bad_index, "a column index of the sparse matrix is outside its width");
}

/// Calls work(begin, end) for ranges of rows, on n_jobs threads. False if one of the calls returned false.
template <typename Work>
bool for_rows(std::size_t n_rows, std::uint32_t n_jobs, Work work) {
    constexpr std::size_t kRows = 512;
    std::atomic<bool> sound{true};
    adtm::for_each_unit((n_rows + kRows - 1) / kRows, n_jobs, [&](std::uint64_t unit, std::uint32_t) {
        const std::size_t begin = kRows * unit;
        if (sound && !work(begin, std::min(begin + kRows, n_rows))) sound = false;
    });
    return sound;
}

void require_threads(std::uint32_t n_jobs) { require(n_jobs >= 1, "n_jobs must be at least 1"); }

void pack_bits(const In<std::uint8_t, 2>& bits, const OutWords& words, std::int64_t first_bit, std::uint32_t n_jobs) {
    require_threads(n_jobs);
    const pack::Words rows = words_of(words, bits.shape(0));
    require_bits(first_bit, bits.shape(1), rows);
    const auto table = table_of(bits, "bits");
    bool sound = false;
    {
        adtm::Unlocked unlocked;
        sound = for_rows(rows.n_rows, n_jobs, [&](std::size_t begin, std::size_t end) {
            return pack::bits(table.part(begin, end), static_cast<std::size_t>(first_bit), rows.part(begin, end));
        });
    }
    require(sound, "bits must be 0 or 1");
}

void pack_thresholds(const In<double, 2>& x, const InFlat<double>& thresholds, const InFlat<std::int64_t>& starts,
                     const InFlat<std::int64_t>& first_bits, const InFlat<std::int64_t>& missing_bits,
                     const OutWords& words, std::uint32_t n_jobs) {
    require_threads(n_jobs);
    const pack::Words rows = words_of(words, x.shape(0));
    const auto cuts = cuts_of(thresholds, starts, first_bits, missing_bits, x.shape(1), rows);
    const auto table = table_of(x, "x");
    adtm::Unlocked unlocked;
    for_rows(rows.n_rows, n_jobs, [&](std::size_t begin, std::size_t end) {
        pack::thresholds(table.part(begin, end), cuts, rows.part(begin, end));
        return true;
    });
}

void pack_codes(const In<std::int32_t, 1>& codes, std::int64_t n_categories, const OutWords& words,
                std::int64_t first_bit) {
    const pack::Words rows = words_of(words, codes.shape(0));
    require(n_categories >= 0, "n_categories must be >= 0, got " + std::to_string(n_categories));
    require_bits(first_bit, static_cast<std::size_t>(n_categories), rows);
    const auto column = column_of(codes, "codes");
    bool sound = false;
    {
        adtm::Unlocked unlocked;
        sound = pack::codes(column, static_cast<std::size_t>(n_categories), static_cast<std::size_t>(first_bit), rows);
    }
    require(sound, "codes must be -1 or below n_categories = " + std::to_string(n_categories));
}

template <typename Index>
void pack_csr_bits(const InFlat<Index>& indptr, const InFlat<Index>& indices, const InFlat<std::uint8_t>& data,
                   std::int64_t n_columns, const OutWords& words) {
    require(n_columns >= 0, "n_columns must be >= 0, got " + std::to_string(n_columns));
    const auto table = csr_of<Index, std::uint8_t>(indptr, indices, data, static_cast<std::size_t>(n_columns));
    const pack::Words rows = words_of(words, table.n_rows);
    require_bits(0, table.n_columns, rows);
    pack::CsrFault fault{};
    {
        adtm::Unlocked unlocked;
        fault = pack::csr_bits(table, rows);
    }
    require_sound(fault);
}

template <typename Index>
void pack_csr_thresholds(const InFlat<Index>& indptr, const InFlat<Index>& indices, const InFlat<double>& data,
                         const InFlat<double>& thresholds, const InFlat<std::int64_t>& starts,
                         const InFlat<std::int64_t>& first_bits, const InFlat<std::int64_t>& missing_bits,
                         const OutWords& words) {
    const auto table = csr_of<Index, double>(indptr, indices, data, first_bits.shape(0));
    const pack::Words rows = words_of(words, table.n_rows);
    const auto cuts = cuts_of(thresholds, starts, first_bits, missing_bits, table.n_columns, rows);
    pack::CsrFault fault{};
    {
        adtm::Unlocked unlocked;
        fault = pack::csr_thresholds(table, cuts, rows);
    }
    require_sound(fault);
}

void require_literals(std::int64_t n_features, std::size_t n_bits) {
    require(n_features >= 0 && static_cast<std::size_t>(n_features) <= n_bits / 2,
            "2 * n_features literals must fit into rows of " + text(n_bits) +
                " bits, got n_features = " + std::to_string(n_features));
}

void append_negations(const OutWords& words, std::int64_t n_features, std::uint32_t n_jobs) {
    require_threads(n_jobs);
    const pack::Words rows = words_of(words, words.shape(0));
    require_literals(n_features, rows.n_bits());
    adtm::Unlocked unlocked;
    for_rows(rows.n_rows, n_jobs, [&](std::size_t begin, std::size_t end) {
        pack::append_negations(rows.part(begin, end), static_cast<std::size_t>(n_features));
        return true;
    });
}

void copy_words(const In<std::uint64_t, 2>& source, const OutWords& target, std::uint32_t n_jobs) {
    require_threads(n_jobs);
    const pack::Table<std::uint64_t> from = table_of(source, "source");
    const pack::Words to = words_of(target, source.shape(0));
    require(source.shape(1) == target.shape(1), "target must have as many columns as source: expected " +
                                                    text(source.shape(1)) + ", got " + text(target.shape(1)));
    require(source.shape(1) <= 1 || source.stride(1) == 1, "source must have the words of a row side by side");
    adtm::Unlocked unlocked;
    for_rows(to.n_rows, n_jobs, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            std::copy_n(from.data + static_cast<std::int64_t>(i) * from.row_stride, to.n_words, to.row(i));
        return true;
    });
}

void check_literals(const InWords& words, std::int64_t n_features) {
    require(words.shape(1) < (std::size_t{1} << 48), "words has too many columns: " + text(words.shape(1)));
    require_aligned(words, "words");
    const pack::ReadWords rows{words.data(), words.shape(0), words.shape(1)};
    require_literals(n_features, rows.n_bits());
    std::size_t row = 0;
    {
        adtm::Unlocked unlocked;
        row = pack::first_unsound(rows, static_cast<std::size_t>(n_features));
    }
    require(row == rows.n_rows,
            "words must hold each feature and its negation, then zeros, got other bits in row " + text(row));
}

template <typename T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// Gives a vector to NumPy without a copy.
template <typename T>
Out<T> array_of(std::vector<T>&& values) {
    auto held = std::make_unique<std::vector<T>>(std::move(values));
    nb::capsule owner(held.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    std::vector<T>& owned = *held.release();  // now the capsule owns it
    return {owned.data(), {owned.size()}, owner};
}

std::tuple<Out<double>, Out<std::int64_t>, std::int64_t> distinct(const In<double, 1>& column) {
    const auto table = column_of(column, "column");
    pack::Distinct found;
    {
        adtm::Unlocked unlocked;
        found = pack::distinct(table);
    }
    return {array_of(std::move(found.values)), array_of(std::move(found.counts)), found.n_missing};
}

template <typename Index>
void bind_csr(nb::module_& m) {
    m.def("pack_csr_bits", &pack_csr_bits<Index>, "indptr"_a.noconvert(), "indices"_a.noconvert(), "data"_a.noconvert(),
          "n_columns"_a, "words"_a.noconvert(),
          "Set bit j of row i for every stored non-zero value (i, j) of a CSR matrix.");
    m.def("pack_csr_thresholds", &pack_csr_thresholds<Index>, "indptr"_a.noconvert(), "indices"_a.noconvert(),
          "data"_a.noconvert(), "thresholds"_a.noconvert(), "starts"_a.noconvert(), "first_bits"_a.noconvert(),
          "missing_bits"_a.noconvert(), "words"_a.noconvert(),
          "As pack_thresholds, for a CSR matrix; what is not stored is 0.");
}

}  // namespace

void bind_pack(nb::module_& m) {
    m.def("pack_bits", &pack_bits, "bits"_a.noconvert(), "words"_a.noconvert(), "first_bit"_a, "n_jobs"_a = 1,
          "Write bits[i, j] (0 or 1) to bit first_bit + j of row i.");
    m.def("pack_thresholds", &pack_thresholds, "x"_a.noconvert(), "thresholds"_a.noconvert(), "starts"_a.noconvert(),
          "first_bits"_a.noconvert(), "missing_bits"_a.noconvert(), "words"_a.noconvert(), "n_jobs"_a = 1,
          "Write x[i, j] <= thresholds[starts[j] + t] to bit first_bits[j] + t; NaN sets missing_bits[j] (if >= 0) "
          "only.");
    m.def("pack_codes", &pack_codes, "codes"_a.noconvert(), "n_categories"_a, "words"_a.noconvert(), "first_bit"_a,
          "Set bit first_bit + codes[i] of row i; -1 sets none.");
    bind_csr<std::int32_t>(m);
    bind_csr<std::int64_t>(m);
    m.def("append_negations", &append_negations, "words"_a.noconvert(), "n_features"_a, "n_jobs"_a = 1,
          "Write the negations of bits 0..n_features-1 after them, and zeros after those.");
    m.def("copy_words", &copy_words, "source"_a.noconvert(), "target"_a.noconvert(), "n_jobs"_a = 1,
          "Copy rows of words, which may lie apart, to rows that do not.");
    m.def("check_literals", &check_literals, "words"_a.noconvert(), "n_features"_a,
          "Refuse words in which a feature and its negation are alike, or padding is not 0.");
    m.def("distinct", &distinct, "column"_a.noconvert(),
          "The distinct numbers of a column in ascending order, their counts, and the number of NaN.");
}
