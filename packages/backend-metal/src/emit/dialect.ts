import {
  type CFamilyDialect,
  type HelperRows,
  type KernelHead,
  type Spellings,
  expr,
  gnuHelper,
  gnuSpellings,
} from '@filigree/backend';
import {
  type AtomicKind,
  type AtomicWords,
  gpuAtomics,
  unhinted,
  warpHelpers,
  warpSpellings,
} from '@filigree/backend/gpu';
import type { ScalarType } from '@filigree/ir';
import { missingFunctions } from './functions.js';
import { pairFunctions } from './pairs.js';
import { simdWords } from './simd.js';
import { metalTokens } from './tokens.js';

const scalar: Readonly<Partial<Record<ScalarType, string>>> = {
  i1: 'bool',
  i8: 'char',
  i16: 'short',
  i32: 'int',
  i64: 'long',
  u8: 'uchar',
  u16: 'ushort',
  u32: 'uint',
  u64: 'ulong',
  f32: 'float',
};

/* What asks for doubles unseen. */
const instead: CFamilyDialect['instead'] = {
  f64: "use f32, metal({ doubles: 'pairs' }), or another backend; where all is f32 as it stands, f64 comes of sum() over a whole loop, in place of which a variable of the kernel may add up, and of fixed() with more than 24 bits or a range that is no power of two, which pairs cannot round",
};

/* A truth value may be any byte that the host wrote, so memory is not `bool`. */
const stored: Readonly<Partial<Record<ScalarType, string>>> = { i1: 'uchar' };

const functionOf: Readonly<Record<AtomicKind, string>> = {
  add: 'fetch_add',
  min: 'fetch_min',
  max: 'fetch_max',
  and: 'fetch_and',
  or: 'fetch_or',
  xor: 'fetch_xor',
  exchange: 'exchange',
};

/** Atomics in memory of all threads, or of those of a team: a pointer says which it is. */
const atomicsIn = (space: 'device' | 'threadgroup'): AtomicWords => ({
  pointer: (element) => `${space} ${element}*`,
  swap: (_, at, expected, desired) => `compare_swap(${at}, ${expected}, ${desired})`,
  native: (kind, { a }) =>
    a === 'i32' || a === 'u32'
      ? `atomic_${functionOf[kind]}_explicit((${space} atomic_${scalar[a]!}*)p, v, memory_order_relaxed)`
      : undefined,
});

const rows: HelperRows = {
  bits: ({ local, scalar: c, name, a, b }) => ({
    text: `${local} ${c(a)} ${name}(${c(b)} x) { return as_type<${c(a)}>(x); }`,
    needs: [],
  }),
  fma: ({ local, scalar: c, name, a }) => ({
    text: `${local} ${c(a)} ${name}(${c(a)} a, ${c(a)} b, ${c(a)} c) { return fma(a, b, c); }`,
    needs: [],
  }),
  ...missingFunctions.rows,
  ...pairFunctions.rows,
  ...gpuAtomics(atomicsIn('device')),
  ...gpuAtomics(atomicsIn('threadgroup'), 'team_atomic'),
  ...warpHelpers(simdWords),
};

const spellings: Spellings = {
  ...gnuSpellings,
  ...unhinted,
  ...warpSpellings(simdWords),
  ...missingFunctions.spellings,
  ...pairFunctions.spellings,
  /* From version 3.2 of the language on; it knows no weaker order. */
  'mem.fence': {
    effect: 'effect',
    write: () => expr('atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device)'),
  },
};

/** What threads of a team share at most, in bytes. */
export const TEAM_BYTES = 32 * 1024;

/** Places to which a kernel can bind something. */
export const MOST_BINDINGS = 31;

/**
 * Where each parameter of a kernel is bound: pointers and scalars by their position, then what a thread is told of itself, as far as the kernel
 * asks. More than can be bound are the fields of an argument buffer.
 */
const head = (name: string, params: readonly string[], body: readonly string[]): KernelHead => {
  const asked = new Set(body.join(' ').match(/\w+/g));
  const own = Object.keys(told)
    .filter((word) => asked.has(word))
    .map((word) => `uint ${word} [[${told[word]}]]`);
  if (params.length > MOST_BINDINGS) return inArgumentBuffer(name, params, own);
  const bound = params.map((p, k) =>
    p.startsWith('device ') ? `${p} [[buffer(${k})]]` : `constant ${p.replace(/ (\w+)$/, '& $1')} [[buffer(${k})]]`,
  );
  return { text: `kernel void ${name}(${[...bound, ...own].join(', ')})`, first: [] };
};

/** What a thread is told: its number and that of all, the number of its team and of all teams, its number in its team and that of all in it. */
const told: Readonly<Record<string, string>> = {
  begin: 'thread_position_in_grid',
  threads: 'threads_per_grid',
  team: 'threadgroup_position_in_grid',
  teams: 'threadgroups_per_grid',
  member: 'thread_position_in_threadgroup',
  members: 'threads_per_threadgroup',
};

/* Of tier 2, which has room for as many as there are. */
const inArgumentBuffer = (name: string, params: readonly string[], own: readonly string[]): KernelHead => ({
  text: [
    `struct ${name}_arguments {`,
    ...params.map((p, k) => `  ${p} [[id(${k})]];`),
    '};',
    `kernel void ${name}(${[`constant ${name}_arguments& given [[buffer(0)]]`, ...own].join(', ')})`,
  ].join('\n'),
  first: params.map((p) => `${p} = given.${/\w+$/.exec(p)![0]};`),
});

/** The Metal Shading Language. A pointer says in which memory it points, and there is no `double`. */
export const metalDialect: CFamilyDialect = {
  name: 'metal',
  tokens: metalTokens,
  scalar,
  instead,
  stored,
  pointer: (element, readOnly) => `device ${readOnly ? 'const ' : ''}${element}* `,
  scratch: (arrays) => arrays.map((a) => `thread ${a.stored} ${a.name}[${Math.max(1, a.length)}];`),
  spellings,
  helper: gnuHelper(
    {
      scalar: (t) => scalar[t]!,
      stored: (t) => stored[t] ?? scalar[t]!,
      local: 'static inline',
      tokens: metalTokens,
      anyPointer: { type: 'P', before: 'template <typename P> ' },
    },
    rows,
  ),
  local: 'kernel',
  keywords: Object.keys(told),
  head,
  independent: () => [],
  part: {
    head: (name, params) => `static inline void ${name}(${params.join(', ')})`,
    prologue: () => [],
    rangeParams: (count) => [`${count} begin`, `${count} end`, 'uint threads'],
    start: ({ name, args, trips, team }) => [
      team
        ? `${name}(${[...args, trips, 'team', 'teams', 'member', 'members'].join(', ')});`
        : `${name}(${[...args, 'begin', trips, 'threads'].join(', ')});`,
    ],
    stride: 'threads',
    thread: '(int)begin',
    helpers: [],
    team: {
      thread: 'member',
      threads: 'members',
      number: 'team',
      teams: 'teams',
      barrier: 'threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);',
      shared: 'threadgroup',
      sharedBytes: TEAM_BYTES,
      atomics: ['i32', 'u32', 'f32'],
      handed: {
        pointer: (element) => `threadgroup ${element}* `,
        atomic: 'team_atomic',
        rangeParams: (count) => [`${count} end`, 'uint team', 'uint teams', 'uint member', 'uint members'],
      },
    },
  },
};

/** What kernels of a file have before them: the library, and compare-and-swaps that fail only where something else was there. */
export const metalPreamble: readonly string[] = [
  '#include <metal_stdlib>',
  'using namespace metal;',
  '',
  ...['device', 'threadgroup'].flatMap((space) => [
    `static inline uint compare_swap(${space} uint* p, uint expected, uint desired) {`,
    '  uint seen = expected;',
    `  while (!atomic_compare_exchange_weak_explicit((${space} atomic_uint*)p, &seen, desired, memory_order_relaxed, memory_order_relaxed) && seen == expected) {}`,
    '  return seen;',
    '}',
    '',
  ]),
];
