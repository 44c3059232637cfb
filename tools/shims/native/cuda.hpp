// What CUDA C++ and HIP have and C++ has not, for text that is to run on the CPU.
#include "launch.hpp"
#ifdef FILIGREE_INTERLEAVED
#include "interleave.hpp"
#endif
#ifdef FILIGREE_TEAMS
#include "teams.hpp"
#define __shared__ static __attribute__((FILIGREE_SHARED))
#define __syncthreads() filigree_barrier()
#define __activemask() ((unsigned)filigree_together())
#define __shfl_sync(mask, v, lane) filigree_shuffle(mask, v, lane)
#define __ballot_sync(mask, holds) ((unsigned)filigree_ballot(mask, holds))
#endif

#ifndef FILIGREE_UNSEEN
#define FILIGREE_UNSEEN
#endif
#define __popcll(mask) __builtin_popcountll(mask)
#define __ffsll(mask) __builtin_ffsll(mask)
#define __global__
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(threads)

static thread_local filigree_dim threadIdx, blockIdx, blockDim, gridDim;

#define FILIGREE_FUNCTION1(name) extern "C" double name(double); extern "C" float name##f(float);
#define FILIGREE_FUNCTION2(name) extern "C" double name(double, double); extern "C" float name##f(float, float);
#define FILIGREE_FUNCTION3(name) extern "C" double name(double, double, double); extern "C" float name##f(float, float, float);
FILIGREE_FUNCTION1(sqrt) FILIGREE_FUNCTION1(cbrt) FILIGREE_FUNCTION1(fabs) FILIGREE_FUNCTION1(sin) FILIGREE_FUNCTION1(cos)
FILIGREE_FUNCTION1(tan) FILIGREE_FUNCTION1(asin) FILIGREE_FUNCTION1(acos) FILIGREE_FUNCTION1(atan) FILIGREE_FUNCTION1(sinh)
FILIGREE_FUNCTION1(cosh) FILIGREE_FUNCTION1(tanh) FILIGREE_FUNCTION1(exp) FILIGREE_FUNCTION1(expm1) FILIGREE_FUNCTION1(log)
FILIGREE_FUNCTION1(log1p) FILIGREE_FUNCTION1(log2) FILIGREE_FUNCTION1(log10) FILIGREE_FUNCTION1(floor) FILIGREE_FUNCTION1(ceil)
FILIGREE_FUNCTION1(asinh) FILIGREE_FUNCTION1(acosh) FILIGREE_FUNCTION1(atanh)
FILIGREE_FUNCTION1(trunc) FILIGREE_FUNCTION2(atan2) FILIGREE_FUNCTION2(hypot) FILIGREE_FUNCTION2(pow) FILIGREE_FUNCTION2(fmod)
FILIGREE_FUNCTION2(copysign) FILIGREE_FUNCTION3(fma)

template <class To, class From>
static inline To filigree_bits(From x) {
  static_assert(sizeof(To) == sizeof(From), "bits are neither lost nor made up");
  To y;
  __builtin_memcpy(&y, &x, sizeof y);
  return y;
}
static inline float __int_as_float(int x) { return filigree_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return filigree_bits<float>(x); }
static inline int __float_as_int(float x) { return filigree_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return filigree_bits<unsigned>(x); }
static inline double __longlong_as_double(long long x) { return filigree_bits<double>(x); }
static inline long long __double_as_longlong(double x) { return filigree_bits<long long>(x); }

// Who waits for another thread looks again behind a fence.
FILIGREE_UNSEEN static inline void filigree_fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#ifdef FILIGREE_TEAMS
  filigree_pause();
#endif
}
#define __threadfence() filigree_fence()

template <class T>
FILIGREE_UNSEEN static inline T atomicCAS(T* p, T expected, T desired) {
  __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T>
FILIGREE_UNSEEN static inline T atomicExch(T* p, T v) {
  T old;
  __atomic_exchange(p, &v, &old, __ATOMIC_RELAXED);
  return old;
}
template <class T>
FILIGREE_UNSEEN static inline T atomicAnd(T* p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); }
template <class T>
FILIGREE_UNSEEN static inline T atomicOr(T* p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
template <class T>
FILIGREE_UNSEEN static inline T atomicXor(T* p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); }

// Of those that differ between types, CUDA's own list and no more.
template <class T, class Next>
FILIGREE_UNSEEN static inline T filigree_update(T* p, Next next) {
  T old, neu;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  do neu = next(old);
  while (!__atomic_compare_exchange(p, &old, &neu, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}
#define FILIGREE_ADD(T) static inline T atomicAdd(T* p, T v) { return filigree_update(p, [=](T old) { return (T)(old + v); }); }
#define FILIGREE_EXTREMES(T) \
  static inline T atomicMin(T* p, T v) { return filigree_update(p, [=](T old) { return old < v ? old : v; }); } \
  static inline T atomicMax(T* p, T v) { return filigree_update(p, [=](T old) { return old > v ? old : v; }); }
FILIGREE_UNSEEN static inline int atomicAdd(int* p, int v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
FILIGREE_ADD(unsigned) FILIGREE_ADD(unsigned long long) FILIGREE_ADD(float) FILIGREE_ADD(double)
FILIGREE_EXTREMES(int) FILIGREE_EXTREMES(unsigned) FILIGREE_EXTREMES(long long) FILIGREE_EXTREMES(unsigned long long)

// False where threads of a block wait for those that have ended.
template <class... A>
static bool filigree_grid(void (*kernel)(A...), const filigree_launch& l, void** arguments) {
  gridDim = {l.blocks, 1, 1};
  blockDim = {l.threads, 1, 1};
  filigree_turns blocks(l, l.blocks);
  for (unsigned b = 0; b < l.blocks; b++) {
    blockIdx = {blocks.next(), 0, 0};
#ifdef FILIGREE_TEAMS
    struct Given { void (*kernel)(A...); void** arguments; } given = {kernel, arguments};
    const auto body = [](void* g) {
      filigree_call(((Given*)g)->kernel, ((Given*)g)->arguments, typename filigree_first<sizeof...(A)>::type());
    };
    if (!filigree_team(l, body, &given, [](unsigned t) { threadIdx = {t, 0, 0}; })) return false;
#else
    filigree_turns threads(l, l.threads);
    for (unsigned t = 0; t < l.threads; t++) {
      threadIdx = {threads.next(), 0, 0};
      filigree_call(kernel, arguments, typename filigree_first<sizeof...(A)>::type());
    }
#endif
  }
  return true;
}

#define FILIGREE_ENTRY(name) \
  extern "C" unsigned filigree_arity_##name() { return filigree_arity(name); } \
  extern "C" bool filigree_on_cpu_##name(const filigree_launch* l, void** arguments) { return filigree_grid(name, *l, arguments); }
