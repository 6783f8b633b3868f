// Binds the predictor: one row of Python's values, whoever holds them, becomes literals, votes and an answer. It needs no
// other library than Python's own. What the columns and the answers are, Python says once, when a predictor is made; the
// values of a row are checked here, and a refusal names the column.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "bind_settings.hpp"
#include "dispatch.hpp"
#include "pack.hpp"
#include "voter.hpp"

using namespace nanobind::literals;
using namespace adtm;

namespace {

enum class Kind { numeric, category, boolean };
enum class Answer { two, classes, labels, value };

// A column as Python says it: its name, kind, thresholds and categories, whether missing values have a bit, and whether
// there may be any.
using Said = std::tuple<nb::str, std::string, std::vector<double>, std::vector<nb::object>, bool, bool>;

struct Column {
    nb::str name;
    Kind kind;
    std::vector<double> thresholds;
    nb::dict categories;  // from each category to the number of its bit
    bool texts;  // whether all categories are texts
    bool may_miss;
    pack::Cuts cuts;  // of the column's own thresholds; of other kinds only the places of its bits
};

[[noreturn]] void refuse(const Column& column, const char* expected, nb::handle got) {
    PyErr_Clear();
    throw nb::value_error(
        nb::str("column {!r} must hold {}, got {:.80}").format(column.name, expected, nb::repr(got)).c_str());
}

// The elements of an array as numbers, from their type in the words of Python's struct module; null for other types.
using Element = double (*)(const void*, size_t);
template <class T>
double element(const void* data, size_t i) {
    T value;
    std::memcpy(&value, static_cast<const char*>(data) + i * sizeof(T), sizeof(T));
    return static_cast<double>(value);
}
template <class T>
Element sized(const Py_buffer& view) {
    return view.itemsize == sizeof(T) ? element<T> : nullptr;
}
Element element_of(const Py_buffer& view) {
    const char* format = view.format == nullptr ? "B" : view.format;
    if (*format == '@' || *format == '=' || *format == '<') ++format;
    switch (format[0] == '\0' || format[1] != '\0' ? '\0' : format[0]) {
        case '?':
        case 'B': return sized<uint8_t>(view);
        case 'b': return sized<int8_t>(view);
        case 'h': return sized<int16_t>(view);
        case 'H': return sized<uint16_t>(view);
        case 'i': return sized<int32_t>(view);
        case 'I': return sized<uint32_t>(view);
        case 'l': return sized<long>(view);
        case 'L': return sized<unsigned long>(view);
        case 'q': return sized<int64_t>(view);
        case 'Q': return sized<uint64_t>(view);
        case 'f': return sized<float>(view);
        case 'd': return sized<double>(view);
        default: return nullptr;
    }
}

// An array that is held as long as this object lives; without one, `data` is null.
struct Held {
    explicit Held(PyObject* from) {
        if (!PyObject_CheckBuffer(from)) return;
        if (PyObject_GetBuffer(from, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) == 0) held = true;
        else PyErr_Clear();  // such as an array with strides: it is read as a sequence
    }
    ~Held() {
        if (held) PyBuffer_Release(&view);
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    Py_buffer view{};
    bool held = false;
};

class Predictor {
  public:
    Predictor(Voter voter, const std::vector<Said>& columns, size_t n_values, size_t n_pixels, const std::string& kind,
              const nb::list& labels, std::vector<uint32_t> preference, std::pair<double, double> range, int64_t T,
              uint32_t n_members)
        : voter_(std::move(voter)),
          n_values_(n_values),
          n_pixels_(n_pixels),
          n_features_(voter_.sample_literals() / 2),
          answer_(answer_of(kind)),
          labels_(labels),
          preference_(std::move(preference)),
          range_(range),
          T_(T),
          n_members_(n_members) {
        require(T >= 1, "T must be at least 1");
        require(n_pixels >= 1 && n_pixels <= n_features_, "n_pixels must be in 1..the features of a sample");
        require(n_members >= 1 && voter_.n_votes() % n_members == 0, "each member must have the same number of votes");
        size_t first = 0;
        for (const Said& said : columns) first = add_column(said, first);
        for (Column& column : columns_) column.cuts.thresholds = column.thresholds.data();
        const size_t n_bits = columns_.empty() ? n_values : first * n_pixels;
        require(n_bits == n_features_ && (columns_.empty() || n_values == columns_.size() * n_pixels),
                "the columns must have the bits that the machine reads");
        check_preference(voter_.n_votes() / n_members);
    }

    nb::object answer(nb::handle row) const {
        const std::vector<int32_t> votes = votes_of(row);
        switch (answer_) {
            case Answer::two: return label(votes[0] > 0 || (votes[0] == 0 && preference_[0] == 1));
            case Answer::labels: {
                nb::list there;
                for (size_t k = 0; k < votes.size(); ++k)
                    there.append(votes[k] > 0 || (votes[k] == 0 && preference_[k]));
                return std::move(there);
            }
            case Answer::value: {
                if (votes[0] >= T_) return nb::float_(range_.second);
                const double share = std::max(votes[0], 0) / static_cast<double>(T_);
                return nb::float_(range_.first + share * (range_.second - range_.first));
            }
            default: break;
        }
        uint32_t best = preference_[0];
        for (const uint32_t k : preference_)
            if (votes[k] > votes[best]) best = k;
        return label(best);
    }

    nb::list votes(nb::handle row) const {
        nb::list out;
        for (const int32_t vote : votes_of(row)) out.append(vote);
        return out;
    }

  private:
    static Answer answer_of(const std::string& kind) {
        if (kind == "two") return Answer::two;
        if (kind == "classes") return Answer::classes;
        if (kind == "labels") return Answer::labels;
        require(kind == "value", "kind must be two, classes, labels or value, got " + kind);
        return Answer::value;
    }

    // A label is there or not where its votes say nothing; classes have an order.
    void check_preference(size_t n_votes) const {
        require(n_votes == 1 || answer_ == Answer::classes || answer_ == Answer::labels,
                "two classes and a value must have one vote");
        if (answer_ == Answer::value) return;
        const size_t n_answers = answer_ == Answer::two ? 2 : n_votes;
        require(preference_.size() == n_answers && nb::len(labels_) == n_answers,
                "labels and preference must have one entry for each answer");
        std::vector<uint32_t> order = preference_;
        std::sort(order.begin(), order.end());
        for (uint32_t k = 0; k < n_answers; ++k)
            require(answer_ == Answer::labels ? order[k] <= 1 : order[k] == k,
                    "preference must name each label once, or be 0 or 1 for each");
    }

    nb::object label(size_t k) const { return labels_[k]; }

    // Returns the first bit after it.
    size_t add_column(const Said& said, size_t first) {
        const auto& [name, kind, thresholds, categories, missing, may_miss] = said;
        require(kind == "numeric" || kind == "boolean" || kind == "category",
                "a column must be numeric, boolean or category, got " + kind);
        Column column{
            name,       kind == "numeric" ? Kind::numeric : kind == "boolean" ? Kind::boolean : Kind::category,
            thresholds, nb::dict(),
            true,       may_miss,
            {}};
        size_t n_bits = 0;
        for (const nb::object& category : categories) {
            column.texts = column.texts && PyUnicode_Check(category.ptr());
            column.categories[category] = nb::int_(n_bits++);
        }
        n_bits += column.thresholds.size() + (column.kind == Kind::boolean);
        column.cuts = {nullptr, column.thresholds.size(), first, missing ? static_cast<int64_t>(first + n_bits) : -1};
        columns_.push_back(std::move(column));
        return first + n_bits + missing;
    }

    std::vector<int32_t> votes_of(nb::handle row) const {
        std::vector<uint64_t> words((2 * n_features_ + 511) / 512 * 8);
        std::vector<int32_t> votes(voter_.n_votes());
        read(row.ptr(), words.data());
        Unlocked unlocked;
        pack::append_negations({words.data(), 1, words.size()}, n_features_);
        voter_.votes_of_one(words.data(), static_cast<uint32_t>(words.size()), votes.data());
        const size_t own = votes.size() / n_members_;  // votes of a member; those of all are added, as NumPy adds them
        for (size_t k = own; k < votes.size(); ++k)
            votes[k % own] =
                static_cast<int32_t>(static_cast<uint32_t>(votes[k % own]) + static_cast<uint32_t>(votes[k]));
        votes.resize(own);
        return votes;
    }

    void read(PyObject* row, uint64_t* words) const {
        if (PyDict_Check(row)) return read_dictionary(row, words);
        const Held held(row);
        const Element get = held.held ? element_of(held.view) : nullptr;
        if (get != nullptr) return read_array(held.view, get, words);
        const nb::object sequence =
            nb::steal(PySequence_Fast(row, "a row must be a sequence, an array or a dictionary"));
        if (!sequence.is_valid()) throw nb::python_error();
        // To read a value may be to run a program of Python's, which may change the row: each is held, and counted anew.
        for (size_t i = 0; i < n_values_; ++i) {
            check_length(static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence.ptr())));
            const nb::object value = nb::borrow(PySequence_Fast_GET_ITEM(sequence.ptr(), static_cast<Py_ssize_t>(i)));
            put(i, value.ptr(), words);
        }
    }

    void check_length(size_t n) const {
        if (n != n_values_)
            throw nb::value_error(
                ("a row must have " + std::to_string(n_values_) + " values, got " + std::to_string(n)).c_str());
    }

    void read_dictionary(PyObject* row, uint64_t* words) const {
        if (columns_.size() != n_values_)
            throw nb::value_error("a row must be a sequence or an array: there are no names");
        for (size_t j = 0; j < columns_.size(); ++j) {
            const nb::object value = nb::borrow(PyDict_GetItemWithError(row, columns_[j].name.ptr()));
            if (!value.is_valid() && PyErr_Occurred() != nullptr) throw nb::python_error();
            if (!value.is_valid())
                throw nb::value_error(nb::str("a row must have a value for {!r}").format(columns_[j].name).c_str());
            put(j, value.ptr(), words);
        }
    }

    void read_array(const Py_buffer& view, Element get, uint64_t* words) const {
        check_length(static_cast<size_t>(view.len / view.itemsize));
        if (columns_.empty() && view.itemsize == 1) {
            const pack::Table<uint8_t> table{static_cast<const uint8_t*>(view.buf), 1, n_values_, 0, 1};
            if (!pack::bits(table, 0, {words, 1, n_features_ / 64 + 1})) throw nb::value_error("bits must be 0 or 1");
            return;
        }
        for (size_t i = 0; i < n_values_; ++i) put_number(i, get(view.buf, i), words);
    }

    // Value i of a row: of a pixel, or of the table's column i.
    void put(size_t i, PyObject* value, uint64_t* words) const {
        if (columns_.empty()) {
            const long bit = PyLong_Check(value) ? PyLong_AsLong(value) : whole(value);
            PyErr_Clear();
            if (bit < 0 || bit > 1)
                throw nb::value_error(nb::str("bits must be 0 or 1, got {:.80}").format(nb::repr(value)).c_str());
            if (bit == 1) pack::set_bit(words, i);
            return;
        }
        const Column& column = columns_[i % columns_.size()];
        if (is_missing(value)) return put_missing(i, column, value, words);
        if (column.kind == Kind::category) return put_category(i, column, value, words);
        const double x = number(value);
        if (x == -1.0 && PyErr_Occurred() != nullptr) refuse(column, "a number", value);
        put_number(i, x, words);
    }

    // None, and what differs from itself: NaN of any type and pandas' NaT; that of pandas' NA is neither true nor false.
    static bool is_missing(PyObject* value) {
        if (value == Py_None) return true;
        if (PyFloat_Check(value)) return std::isnan(PyFloat_AS_DOUBLE(value));
        if (PyUnicode_Check(value) || PyLong_Check(value)) return false;
        const nb::object differs = nb::steal(PyObject_RichCompare(value, value, Py_NE));
        const int truth = differs.is_valid() ? PyObject_IsTrue(differs.ptr()) : 0;
        PyErr_Clear();
        return truth == 1 || (truth == -1 && differs.is(value));
    }

    // -1 and an error where the value is no number. NumPy's complex numbers and dates are none, though it makes some of
    // them.
    static double number(PyObject* value) {
        if (PyFloat_Check(value)) return PyFloat_AS_DOUBLE(value);
        if (!PyLong_Check(value)) {
            const nb::object none = nb::none(), dtype = nb::getattr(value, "dtype", none);
            const nb::object kind = dtype.is_none() ? none : nb::getattr(dtype, "kind", none);
            std::string letter;
            if (nb::try_cast(kind, letter) && (letter == "c" || letter == "M" || letter == "m")) {
                PyErr_SetString(PyExc_TypeError, "no number");
                return -1.0;
            }
        }
        return PyFloat_AsDouble(value);
    }

    static long whole(PyObject* value) {
        const double x = number(value);
        PyErr_Clear();
        return x == 0.0 ? 0 : x == 1.0 ? 1 : -1;
    }

    void put_number(size_t i, double x, uint64_t* words) const {
        if (columns_.empty()) {
            if (x != 0.0 && x != 1.0) throw nb::value_error("bits must be 0 or 1");
            if (x == 1.0) pack::set_bit(words, i);
            return;
        }
        const size_t j = i % columns_.size(), pixel = i / columns_.size();
        const Column& column = columns_[j];
        if (std::isnan(x)) return put_missing(i, column, nb::float_(x), words);
        if (column.kind == Kind::category) return put_category(i, column, nb::float_(x).ptr(), words);
        if (column.kind == Kind::numeric) {
            if (std::isinf(x)) refuse(column, "finite numbers", nb::float_(x));
            return pack::value(x, column.cuts, n_pixels_, pixel, words);
        }
        if (x != 0.0 && x != 1.0) refuse(column, "0 or 1", nb::float_(x));
        if (x == 1.0) pack::set_bit(words, column.cuts.first * n_pixels_ + pixel);
    }

    void put_category(size_t i, const Column& column, PyObject* value, uint64_t* words) const {
        if (column.texts && nb::len(column.categories) > 0 && !PyUnicode_Check(value)) refuse(column, "a text", value);
        PyObject* found = PyDict_GetItemWithError(column.categories.ptr(), value);
        if (found == nullptr && PyErr_Occurred() != nullptr) refuse(column, "a category", value);
        if (found == nullptr) return;  // one that was never seen sets no bit
        pack::set_bit(words, (column.cuts.first + PyLong_AsSize_t(found)) * n_pixels_ + i / columns_.size());
    }

    void put_missing(size_t i, const Column& column, nb::handle value, uint64_t* words) const {
        if (!column.may_miss) refuse(column, "no missing value", value);
        if (column.cuts.missing < 0) return;
        pack::set_bit(words, static_cast<size_t>(column.cuts.missing) * n_pixels_ + i / columns_.size());
    }

    Voter voter_;
    std::vector<Column> columns_;  // none where a row holds the bits themselves
    size_t n_values_, n_pixels_, n_features_;
    Answer answer_;
    nb::tuple labels_;  // its own, which nobody changes
    std::vector<uint32_t> preference_;
    std::pair<double, double> range_;
    int64_t T_;
    uint32_t n_members_;
};

template <class Element>
Predictor make_predictor(In<Element, 3> states, In<int32_t, 3> weights, In<uint32_t, 1> patches, uint32_t n_states,
                         uint32_t most_votes, const std::vector<Said>& columns, size_t n_values, size_t n_pixels,
                         const std::string& kind, const nb::list& labels, std::vector<uint32_t> preference,
                         std::pair<double, double> range, int64_t T, uint32_t n_members) {
    check_n_states<Element>(n_states);
    Settings settings{};
    settings.n_clauses = static_cast<uint32_t>(states.shape(1));
    settings.n_states = n_states;
    settings.most_votes = most_votes;
    take_sizes(states, weights, patches, &settings);
    return Predictor(Voter::of_states(settings, static_cast<uint32_t>(states.shape(0)), states.data(), weights.data(),
                                      kernels_for(""), 1),
                     columns, n_values, n_pixels, kind, labels, std::move(preference), range, T, n_members);
}

template <class Element>
void bind_maker(nb::module_& m) {
    m.def("predictor", &make_predictor<Element>, "states"_a, "weights"_a, "patches"_a, "n_states"_a, "most_votes"_a,
          "columns"_a, "n_values"_a, "n_pixels"_a, "kind"_a, "labels"_a, "preference"_a, "range"_a, "T"_a,
          "n_members"_a,
          "A predictor from states 0..2N-1, columns (name, kind, thresholds, categories, has a bit for missing values, "
          "may miss) and how votes are answered.");
}

}  // namespace

void bind_predictor(nb::module_& m) {
    nb::class_<Predictor>(m, "Predictor", "A model that answers one row at a time.")
        .def("answer", &Predictor::answer, "row"_a.none(), "The label, the labels or the value of a row.")
        .def("votes", &Predictor::votes, "row"_a.none(), "The votes of a row.");
    bind_maker<uint8_t>(m);
    bind_maker<uint16_t>(m);
}
