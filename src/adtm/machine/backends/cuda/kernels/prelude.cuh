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
