import type { AtomicKind, DeviceWords } from '@filigree/backend/gpu';
import type { ScalarType } from '@filigree/ir';

/** Intrinsics that take bits as they are, of the types in their names. */
const reinterpret: Readonly<Record<string, string>> = {
  u32_f32: '__float_as_uint(x)',
  i32_f32: '__float_as_int(x)',
  f32_u32: '__uint_as_float(x)',
  f32_i32: '__int_as_float(x)',
  i64_f64: '__double_as_longlong(x)',
  u64_f64: '(unsigned long long)__double_as_longlong(x)',
  f64_i64: '__longlong_as_double(x)',
  f64_u64: '__longlong_as_double((long long)x)',
};

const functionOf: Readonly<Record<AtomicKind, string>> = {
  add: 'atomicAdd',
  min: 'atomicMin',
  max: 'atomicMax',
  and: 'atomicAnd',
  or: 'atomicOr',
  xor: 'atomicXor',
  exchange: 'atomicExch',
};

/** The types that the functions take: of 64 bits with a sign only the extremes, which ask for it. */
const types: Readonly<Record<AtomicKind, readonly ScalarType[]>> = {
  add: ['i32', 'u32', 'u64', 'f32', 'f64'],
  min: ['i32', 'u32', 'i64', 'u64'],
  max: ['i32', 'u32', 'i64', 'u64'],
  and: ['i32', 'u32', 'u64'],
  or: ['i32', 'u32', 'u64'],
  xor: ['i32', 'u32', 'u64'],
  exchange: ['i32', 'u32', 'u64', 'f32'],
};

/** CUDA's words. What is not a number is made of its bits. */
export const cudaWords: DeviceWords = {
  thread: 'threadIdx.x',
  block: 'blockIdx.x',
  blockSize: 'blockDim.x',
  fence: '__threadfence()',
  blocks: 'gridDim.x',
  barrier: '__syncthreads();',
  shared: '__shared__',
  gridSize: 'gridDim.x * blockDim.x',
  bounds: '__launch_bounds__(256)',
  bits: (to, from) => reinterpret[`${to}_${from}`]!,
  nan: (t) => (t === 'f32' ? '__int_as_float(0x7fc00000)' : '__longlong_as_double(0x7ff8000000000000LL)'),
  infinity: (t) => (t === 'f32' ? '__int_as_float(0x7f800000)' : '__longlong_as_double(0x7ff0000000000000LL)'),
  atomic: (kind, t) => (types[kind].includes(t) ? `${functionOf[kind]}(p, v)` : undefined),
  warp: {
    local: 'static __device__ __forceinline__',
    here: '(unsigned long long)__activemask()',
    ballot: (holds, set) => `(unsigned long long)__ballot_sync((unsigned)${set}, ${holds})`,
    lane: () => 'threadIdx.x & 31',
    count: (set) => `__popcll(${set})`,
    first: (set) => `__ffsll((long long)(${set})) - 1`,
    shuffle: () => '__shfl_sync((unsigned)set, v, lane)',
  },
  swap: (at, expected, desired) => `atomicCAS(${at}, ${expected}, ${desired})`,
};
