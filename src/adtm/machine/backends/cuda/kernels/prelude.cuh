// Names that all kernels use. NVRTC has no headers of its own, so the types of <stdint.h> are declared here.
#ifdef __CUDACC_RTC__
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define UINT32_C(x) x##u
#define UINT64_C(x) x##ull
#else
#include <stdint.h>
#endif

typedef uint32_t u32;
typedef unsigned long long u64;  // the type of CUDA's 64-bit atomics; as wide as uint64_t
#define FN __device__ __forceinline__
#define FULL 0xFFFFFFFFu
#ifdef __CUDACC__
#define SHARED_MEMORY(name) extern __shared__ __align__(16) unsigned char name[]
#endif

// 16 bytes at once to global or to shared memory; the compiler would make four stores of it.
template <bool SHARED>
FN void store_vector(u32* to, u32 a, u32 b, u32 c, u32 d) {
#ifdef __CUDACC__
    if (SHARED)
        asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"((u32)__cvta_generic_to_shared(to)), "r"(a), "r"(b),
                     "r"(c), "r"(d)
                     : "memory");
    else
        asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(a), "r"(b),
                     "r"(c), "r"(d)
                     : "memory");
#else
    to[0] = a, to[1] = b, to[2] = c, to[3] = d;
#endif
}

// 16 bytes, or 4, from global to shared memory, which are there after the next wait_for_copies of this thread.
FN void copy_vector(uint4* to, const uint4* from) {
#ifdef __CUDACC__
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((u32)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *to = *from;
#endif
}
FN void copy_word(u32* to, const void* from) {
#ifdef __CUDACC__
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((u32)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *to = *(const u32*)from;
#endif
}
FN void wait_for_copies() {
#ifdef __CUDACC__
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
