#include "dispatch.hpp"

#include <cstdlib>
#include <stdexcept>

#if defined(_MSC_VER) && !defined(__clang__)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace adtm {
namespace {

#if defined(_MSC_VER) && !defined(__clang__) && defined(_M_X64)
bool cpu_bit(int leaf, int reg, int bit) {
    int r[4];
    __cpuidex(r, leaf, 0);
    return ((r[reg] >> bit) & 1) != 0;
}
bool os_saves(unsigned long long mask) { return cpu_bit(1, 2, 27) && (_xgetbv(0) & mask) == mask; }
bool has_avx2() { return os_saves(0x6) && cpu_bit(7, 1, 5) && cpu_bit(7, 1, 8); }
bool has_avx512() {
    return os_saves(0xE6) && cpu_bit(7, 1, 16) && cpu_bit(7, 1, 17) && cpu_bit(7, 1, 30) && cpu_bit(7, 1, 31);
}
#elif defined(__x86_64__)
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"); }
bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
bool has_avx2() { return false; }
bool has_avx512() { return false; }
#endif

std::vector<const Kernels*> running() {
    std::vector<const Kernels*> found;
    if (kernels_avx512.name && has_avx512()) found.push_back(&kernels_avx512);
    if (kernels_avx2.name && has_avx2()) found.push_back(&kernels_avx2);
    if (kernels_neon.name) found.push_back(&kernels_neon);  // every AArch64 CPU has it
    found.push_back(&kernels_generic);
    return found;
}

}  // namespace

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const Kernels* k : running()) names.emplace_back(k->name);
    return names;
}

const Kernels& kernels_for(const std::string& asked) {
    std::string name = asked;
    if (name.empty()) {
        const char* forced = std::getenv("ADTM_CPU");
        if (forced != nullptr) name = forced;
    }
    const std::vector<const Kernels*> found = running();
    if (name.empty()) return *found.front();
    std::string known;
    for (const Kernels* k : found) {
        if (name == k->name) return *k;
        known += known.empty() ? k->name : std::string(", ") + k->name;
    }
    throw std::invalid_argument("cpu must be one of " + known + " on this CPU, got '" + name + "'");
}

}  // namespace adtm
