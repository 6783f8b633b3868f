// Reads the machine's settings from the attributes of a Python object. Their list is made from the class Settings in
// src/adtm/machine/settings.py. Here every value must have the core's type and every rule must be known; the callers
// check that the numbers make sense.
#pragma once
#include <cmath>
#include <limits>
#include <string>

#include "bind.hpp"

namespace adtm {

template <class Number>
Number whole(const nb::object& value, const std::string& name) {
    Number number{};
    using Limits = std::numeric_limits<Number>;
    require(nb::try_cast(value, number), name + " must be a whole number in " + std::to_string(Limits::min()) + ".." +
                                             std::to_string(Limits::max()));
    return number;
}

template <class Number>
Number whole_or_none(const nb::object& value, const std::string& name) {
    return value.is_none() ? std::numeric_limits<Number>::max() : whole<Number>(value, name);
}

// 0 stands for infinity.
template <class Number>
Number whole_or_inf(const nb::object& value, const std::string& name) {
    double number = 0;
    require(nb::try_cast(value, number) && number >= 1 && (number == std::floor(number)),
            name + " must be a whole number of at least 1, or infinity");
    if (std::isinf(number)) return 0;
    require(number <= double{1ull << 53},
            name + " must be at most 2^53, or infinity");  // a double has no larger whole numbers without gaps
    return static_cast<Number>(number);
}

template <class Flag>
Flag flag(const nb::object& value, const std::string& name) {
    Flag flag{};
    require(nb::try_cast(value, flag), name + " must be True or False");
    return flag;
}

// A rule by the name of its variant, out of those that the core knows.
template <class Rule, size_t n>
Rule rule(const nb::object& value, const std::string& name, const char* const (&known)[n]) {
    std::string wanted, all;
    const bool text = nb::try_cast(value, wanted);
    for (size_t i = 0; i < n; ++i) {
        if (text && wanted == known[i]) return static_cast<Rule>(i);
        all += (i == 0 ? "'" : " or '") + std::string(known[i]) + "'";
    }
    throw std::invalid_argument(name + " must be " + all + " for the native backend, got " + nb::repr(value).c_str() +
                                ", which only backend=\"reference\" knows");
}

// What a voter needs: the numbers, and the one rule that decides how a machine votes.
inline Settings read_voting(nb::handle from) {
    Settings settings{};
#define ADTM_READ(how, type, name) settings.name = how<type>(nb::getattr(from, #name), #name);
    ADTM_NUMBERS(ADTM_READ)
#undef ADTM_READ
    settings.empty = rule<Empty>(nb::getattr(from, "empty"), "empty", kEmptyNames);
    return settings;
}

// All settings.
inline Settings read_learning(nb::handle from) {
    Settings settings = read_voting(from);
#define ADTM_READ(type, name) settings.name = rule<type>(nb::getattr(from, #name), #name, k##type##Names);
    ADTM_RULES(ADTM_READ)
#undef ADTM_READ
    return settings;
}

// Takes the sizes of the arrays into the settings. Those that the settings have must agree.
template <class Element>
void take_sizes(const In<Element, 3>& states, const In<int32_t, 3>& weights, const In<uint32_t, 1>& patches,
                Settings* settings) {
    check_sizes(states.shape(0), states.shape(1), states.shape(2));
    require(states.shape(1) == settings->n_clauses, "states must be (banks, n_clauses, literals)");
    check_weights(weights, states.shape(0), states.shape(1), settings->most_votes);
    settings->n_literals = static_cast<uint32_t>(states.shape(2));
    settings->n_outputs = static_cast<uint32_t>(weights.shape(1));
    settings->grid = read_grid(patches, states.shape(2));
}

}  // namespace adtm
