// The Python module adtm._core. Each part of the core has a binding, which checks what comes from Python.
#include <nanobind/nanobind.h>

#include "bind_unlocked.hpp"

namespace nb = nanobind;

void bind_filters(nb::module_& m);
void bind_machine(nb::module_& m);
void bind_pack(nb::module_& m);
void bind_predictor(nb::module_& m);
void bind_program(nb::module_& m);
void bind_streams(nb::module_& m);
void bind_voter(nb::module_& m);

NB_MODULE(_core, m) {
    m.doc() = "Native core of adtm: packed literals, training and voting.";
    bind_pack(m);
    bind_filters(m);
    bind_streams(m);
    bind_voter(m);
    bind_machine(m);
    bind_predictor(m);
    bind_program(m);
    // What a daemon thread holds when the process ends was not leaked.
    nb::set_leak_warnings(false);
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&adtm::begin_the_end));
}
