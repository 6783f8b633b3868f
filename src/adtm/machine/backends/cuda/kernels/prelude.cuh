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

// 16 bytes from global to shared memory, which are there after the next wait_for_copies of this thread.
FN void copy_vector(uint4* to, const uint4* from) {
#ifdef __CUDACC__
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((u32)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *to = *from;
#endif
}
FN void wait_for_copies() {
#ifdef __CUDACC__
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
