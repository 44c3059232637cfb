// What clang has for AMD's devices, for text that is to run on the CPU. The functions are those of CUDA's shim.
#include "cuda.hpp"
#ifdef FILIGREE_TEAMS
#define shared FILIGREE_SHARED
#define __builtin_amdgcn_s_barrier() filigree_barrier()
#define __builtin_amdgcn_read_exec() filigree_together()
#define __builtin_amdgcn_mbcnt_lo(mask, plus) (plus)
#define __builtin_amdgcn_mbcnt_hi(mask, plus) ((plus) + filigree_lane())
#define __builtin_amdgcn_ds_bpermute(at, v) filigree_shuffle_here(v, (at) / 4)
#define __builtin_amdgcn_uicmp(a, b, how) filigree_ballot(filigree_together(true), (a) != (b))
#endif
#define __builtin_amdgcn_fence(order, scope) (scope[0] == 'a' ? filigree_fence() : __atomic_thread_fence(order))

#define amdgpu_flat_work_group_size(least, most)
#define __builtin_amdgcn_workitem_id_x() threadIdx.x
#define __builtin_amdgcn_workgroup_id_x() blockIdx.x
#define __builtin_amdgcn_workgroup_size_x() blockDim.x
#define __builtin_amdgcn_grid_size_x() (gridDim.x * blockDim.x)
#define __HIP_MEMORY_SCOPE_AGENT 0

template <class T>
static inline T filigree_add(T* p, T v) { return filigree_update(p, [=](T old) { return (T)(old + v); }); }
template <class T>
static inline T filigree_min(T* p, T v) { return filigree_update(p, [=](T old) { return old < v ? old : v; }); }
template <class T>
static inline T filigree_max(T* p, T v) { return filigree_update(p, [=](T old) { return old > v ? old : v; }); }
#define __hip_atomic_fetch_add(p, v, order, scope) filigree_add(p, v)
#define __hip_atomic_fetch_min(p, v, order, scope) filigree_min(p, v)
#define __hip_atomic_fetch_max(p, v, order, scope) filigree_max(p, v)
#define __hip_atomic_fetch_and(p, v, order, scope) atomicAnd(p, v)
#define __hip_atomic_fetch_or(p, v, order, scope) atomicOr(p, v)
#define __hip_atomic_fetch_xor(p, v, order, scope) atomicXor(p, v)
#define __hip_atomic_exchange(p, v, order, scope) atomicExch(p, v)
#define __hip_atomic_compare_exchange_strong(p, expected, desired, order, other, scope) \
  __atomic_compare_exchange_n(p, expected, desired, false, order, other)
