import {
  type CFamilyDialect,
  type HelperRows,
  type KernelHead,
  type Spellings,
  expr,
  gnuHelper,
  gnuSpellings,
} from '@filigree/backend';
import { type AtomicKind, gpuAtomics, unhinted } from '@filigree/backend/gpu';
import type { ScalarType } from '@filigree/ir';
import { missingFunctions } from './functions.js';
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
  ...gpuAtomics({
    pointer: (element) => `device ${element}*`,
    swap: (_, at, expected, desired) => `compare_swap(${at}, ${expected}, ${desired})`,
    native: (kind, { a }) =>
      a === 'i32' || a === 'u32'
        ? `atomic_${functionOf[kind]}_explicit((device atomic_${scalar[a]!}*)p, v, memory_order_relaxed)`
        : undefined,
  }),
};

const spellings: Spellings = {
  ...gnuSpellings,
  ...unhinted,
  ...missingFunctions.spellings,
  /* From version 3.2 of the language on; it knows no weaker order. */
  'mem.fence': {
    effect: 'effect',
    write: () => expr('atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device)'),
  },
};

/** Places to which a kernel can bind something. */
export const MOST_BINDINGS = 31;

/**
 * Where each parameter of a kernel is bound: pointers and scalars by their position, then what a thread is told of itself. More than can be
 * bound are the fields of an argument buffer.
 */
const head = (name: string, params: readonly string[]): KernelHead => {
  if (params.length > MOST_BINDINGS) return inArgumentBuffer(name, params);
  const bound = params.map((p, k) =>
    p.startsWith('device ') ? `${p} [[buffer(${k})]]` : `constant ${p.replace(/ (\w+)$/, '& $1')} [[buffer(${k})]]`,
  );
  return { text: `kernel void ${name}(${[...bound, ...own].join(', ')})`, first: [] };
};

const own = ['uint begin [[thread_position_in_grid]]', 'uint threads [[threads_per_grid]]'];

/* Of tier 2, which has room for as many as there are. */
const inArgumentBuffer = (name: string, params: readonly string[]): KernelHead => ({
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
  head,
  independent: () => [],
  part: {
    head: (name, params) => `static inline void ${name}(${params.join(', ')})`,
    prologue: [],
    rangeParams: ['long begin', 'long end', 'uint threads'],
    start: ({ name, args, trips }) => [`${name}(${[...args, 'begin', trips, 'threads'].join(', ')});`],
    stride: 'threads',
    thread: '(int)begin',
    helpers: [],
  },
};

/** What kernels of a file have before them: the library, and a compare-and-swap that fails only where something else was there. */
export const metalPreamble: readonly string[] = [
  '#include <metal_stdlib>',
  'using namespace metal;',
  '',
  'static inline uint compare_swap(device uint* p, uint expected, uint desired) {',
  '  uint seen = expected;',
  '  while (!atomic_compare_exchange_weak_explicit((device atomic_uint*)p, &seen, desired, memory_order_relaxed, memory_order_relaxed) && seen == expected) {}',
  '  return seen;',
  '}',
  '',
];
