// Binds the making of streams.
#include "bind.hpp"
#include "streams.hpp"

using namespace nanobind::literals;
using namespace adtm;

namespace {

void sorted_order_into(In<uint64_t, 1> keys, Out<uint32_t, 1> order) {
    require(keys.shape(0) <= UINT32_MAX && order.shape(0) == keys.shape(0), "order must have one place for each key");
    Unlocked unlocked;
    sorted_order(keys.data(), keys.shape(0), order.data());
}

void rotating_others_into(In<uint32_t, 1> own, uint32_t n_classes, uint32_t begin, Out<uint32_t, 2> others) {
    const size_t n = own.shape(0), n_others = others.shape(0);
    require(n_classes >= 2 && n_classes <= 65536 && begin < n_classes && n_others < n_classes && others.shape(1) == n,
            "others must have a row for each of at most n_classes - 1 classes, and begin must be below n_classes");
    bool good = true;
    {
        Unlocked unlocked;
        for (size_t i = 0; i < n; ++i) good &= own.data()[i] < n_classes;
        if (good) rotating_others(own.data(), n, n_others, n_classes, begin, others.data());
    }
    require(good, "a class lies outside the classes");
}

void class_streams_into(In<uint32_t, 1> order, In<uint32_t, 1> own, In<uint32_t, 2> others, Out<uint32_t, 1> rows,
                        Out<int32_t, 1> targets, Out<uint64_t, 1> offsets) {
    const size_t n = order.shape(0), n_others = others.shape(0), n_steps = n * (1 + n_others);
    require(own.shape(0) == n && others.shape(1) == n, "order, own and each row of others must have the same length");
    require(n_others <= 65536 && rows.shape(0) == n_steps && targets.shape(0) == n_steps,
            "rows and targets must have a place for each class of each sample");
    require(offsets.shape(0) >= 2 && offsets.shape(0) <= 65537, "offsets must be (banks + 1,)");
    const uint32_t n_banks = static_cast<uint32_t>(offsets.shape(0) - 1);
    bool good = true;
    {
        Unlocked unlocked;
        for (size_t i = 0; i < n; ++i) good &= own.data()[i] < n_banks;
        for (size_t i = 0; i < n * n_others; ++i) good &= others.data()[i] < n_banks;
        if (good)
            class_streams(order.data(), own.data(), others.data(), n, n_others, n_banks, rows.data(), targets.data(),
                          offsets.data());
    }
    require(good, "a class lies outside the banks");
}

}  // namespace

void bind_streams(nb::module_& m) {
    m.def("sorted_order", &sorted_order_into, "keys"_a, "order"_a,
          "Write the indices of the keys from the smallest on.");
    m.def("rotating_others", &rotating_others_into, "own"_a, "n_classes"_a, "begin"_a, "others"_a,
          "Write the other classes that each sample meets: those of a class meet them in turn.");
    m.def("class_streams", &class_streams_into, "order"_a, "own"_a, "others"_a, "rows"_a, "targets"_a, "offsets"_a,
          "Write the steps of each class's bank: its own samples with target 1, those of others with target 0.");
}
