import type { AtomicKind, DeviceWords } from '@filigree/backend/gpu';
import { type ScalarType, byteSize, isFloat } from '@filigree/ir';

/* What clang itself has for the device: no header of HIP is needed. */
const scalar: Readonly<Partial<Record<ScalarType, string>>> = {
  i32: 'int',
  i64: 'long long',
  u32: 'unsigned',
  u64: 'unsigned long long',
  f32: 'float',
  f64: 'double',
};

const builtinOf: Readonly<Record<AtomicKind, string>> = {
  add: '__hip_atomic_fetch_add',
  min: '__hip_atomic_fetch_min',
  max: '__hip_atomic_fetch_max',
  and: '__hip_atomic_fetch_and',
  or: '__hip_atomic_fetch_or',
  xor: '__hip_atomic_fetch_xor',
  exchange: '__hip_atomic_exchange',
};

const how = '__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT';

const fence = (order: string, scope: string): string => `__builtin_amdgcn_fence(__ATOMIC_${order}, "${scope}")`;

/* Compilers take the register for memory that nothing changes: read in a branch it would be what it was before. */
const here = '__asm__ volatile("" ::: "memory");';
const inStep = `({ ${here} const unsigned long long now = __builtin_amdgcn_read_exec(); ${here} now; })`;

/* Threads in step hand each other 32 bits. */
const fromLane = (type: string, v: string): string =>
  `(${type})__builtin_amdgcn_ds_bpermute(lane * 4, ${v === 'v' ? '__builtin_bit_cast(int, v)' : `(int)${v}`})`;
const word = '__builtin_bit_cast(unsigned long long, v)';
const halves = `(unsigned long long)${fromLane('unsigned', `(${word} >> 32)`)} << 32 | ${fromLane('unsigned', word)}`;

/** The words of HIP, as clang has them. */
export const hipWords: DeviceWords = {
  thread: '__builtin_amdgcn_workitem_id_x()',
  block: '__builtin_amdgcn_workgroup_id_x()',
  blockSize: '__builtin_amdgcn_workgroup_size_x()',
  fence: fence('ACQ_REL', 'agent'),
  blocks: '(__builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x())',
  /* Before and after it what threads of the block wrote is seen by the others. */
  barrier: `${fence('RELEASE', 'workgroup')}, __builtin_amdgcn_s_barrier(), ${fence('ACQUIRE', 'workgroup')};`,
  shared: 'static __attribute__((shared))',
  keywords: ['shared'],
  gridSize: '__builtin_amdgcn_grid_size_x()',
  bounds: '__attribute__((amdgpu_flat_work_group_size(1, 256)))',
  bits: (to) => `__builtin_bit_cast(${scalar[to]!}, x)`,
  nan: (t) => `__builtin_nan${t === 'f32' ? 'f' : ''}("")`,
  infinity: (t) => `__builtin_inf${t === 'f32' ? 'f' : ''}()`,
  /* Of floats the extremes are not those of the device, which lose NaN. */
  atomic: (kind, t) =>
    byteSize(t) >= 4 && !(isFloat(t) && (kind === 'min' || kind === 'max'))
      ? `${builtinOf[kind]}(p, v, ${how})`
      : undefined,
  warp: {
    local: 'static __device__ inline __attribute__((always_inline))',
    here: inStep,
    /* 33 is the comparison that says whether two differ. */
    ballot: (holds) => `__builtin_amdgcn_uicmp((unsigned)(${holds}), 0u, 33)`,
    lane: () => '__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u))',
    count: (set) => `__builtin_popcountll(${set})`,
    first: (set) => `__builtin_ctzll(${set})`,
    shuffle: (t) => `__builtin_bit_cast(${scalar[t]!}, ${byteSize(t) === 4 ? fromLane('int', 'v') : halves})`,
  },
  swap: (at, expected, desired) => `compare_swap(${at}, ${expected}, ${desired})`,
};

/** What `swap` calls: the value that was there, whether it was as expected or not. */
export const hipPreamble: readonly string[] = ['unsigned', 'unsigned long long'].map(
  (t) =>
    `static __device__ inline ${t} compare_swap(${t}* p, ${t} expected, ${t} desired) { __hip_atomic_compare_exchange_strong(p, &expected, desired, __ATOMIC_RELAXED, ${how}); return expected; }`,
);
