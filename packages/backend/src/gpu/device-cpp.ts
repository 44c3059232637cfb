import type { ScalarType } from '@filigree/ir';
import { cppStoredTypes, cppTypes } from '../c-family/cpp-types.js';
import type { CFamilyDialect } from '../c-family/dialect.js';
import { expr } from '../c-family/expr.js';
import { gnuHelper } from '../c-family/helpers/gnu-helper.js';
import { type HelperRequest, type HelperRows, helperText } from '../c-family/helpers/helper.js';
import { statusCodes } from '../c-family/helpers/status-codes.js';
import { gnuSpellings } from '../c-family/spellings/gnu-spellings.js';
import { type Tokens, cppTokens, suffix } from '../c-family/tokens.js';
import { type AtomicKind, gpuAtomics } from './atomics.js';
import { unhinted } from './unhinted.js';
import { type WarpWords, warpHelpers, warpSpellings } from './warp.js';

/** In what C++ for GPUs differs from one maker to another. */
export interface DeviceWords {
  /** Numbers of this thread in its block, of that block, of threads in a block and in the grid. */
  readonly thread: string;
  readonly block: string;
  readonly blockSize: string;
  readonly gridSize: string;
  /** Waits for all threads of the block, and what an array has before it that they share. */
  readonly barrier: string;
  readonly shared: string;
  /** What may be no name. */
  readonly keywords?: readonly string[];
  /** Orders what a thread does to memory of the device, before the eyes of all. */
  readonly fence: string;
  /** The blocks of the grid. */
  readonly blocks: string;
  /** What stands between `void` and the name of a kernel: the most threads of a block. */
  readonly bounds: string;
  /** `x` of one type as the other of the same size. */
  readonly bits: (to: ScalarType, from: ScalarType) => string;
  readonly nan: Tokens['nan'];
  readonly infinity: Tokens['infinity'];
  /** What the language changes `*p` by `v` with, if it takes such elements. */
  readonly atomic: (kind: AtomicKind, t: ScalarType) => string | undefined;
  readonly swap: (at: string, expected: string, desired: string) => string;
  /** How threads that go in step look at each other's values. */
  readonly warp: WarpWords;
}

/** C++ for GPUs, as CUDA and HIP have it, without any header. */
export const deviceCpp = (name: string, words: DeviceWords): CFamilyDialect => {
  const tokens: Tokens = {
    ...cppTokens,
    /* The functions of C's library are those of the device. */
    library: (f, t) => `${f}${suffix(t)}`,
    nan: words.nan,
    infinity: words.infinity,
    /* One of the codes is left there, whoever comes last. */
    trap: (what) => `*(volatile int*)status = ${statusCodes[what]};`,
  };
  const number = `${words.block} * ${words.blockSize} + ${words.thread}`;
  return {
    name,
    tokens,
    keywords: words.keywords ?? [],
    scalar: cppTypes,
    stored: cppStoredTypes,
    pointer: (element, readOnly) => `${readOnly ? 'const ' : ''}${element}* __restrict__ `,
    spellings: {
      ...gnuSpellings,
      ...unhinted,
      ...warpSpellings(words.warp),
      'mem.fence': { effect: 'effect', write: () => expr(words.fence) },
    },
    helper: gnuHelper(
      { scalar: (t) => cppTypes[t], stored: (t) => cppStoredTypes[t] ?? cppTypes[t], local, tokens },
      rows(words),
    ),
    local: 'extern "C" __global__',
    head: (kernel, params) => `extern "C" __global__ void ${words.bounds} ${kernel}(${params.join(', ')})`,
    independent: () => [],
    part: {
      head: (part, params) => `${local} void ${part}(${params.join(', ')})`,
      prologue: (count) => [`const ${count} begin = ${number};`],
      rangeParams: (count) => [`${count} end`],
      start: ({ name: part, args, trips }) => [`${part}(${[...args, trips].join(', ')});`],
      stride: words.gridSize,
      thread: `(int)(${number})`,
      helpers: [],
      team: {
        thread: words.thread,
        threads: words.blockSize,
        number: words.block,
        teams: words.blocks,
        barrier: words.barrier,
        shared: words.shared,
        sharedBytes: 48 * 1024,
      },
    },
  };
};

const local = 'static __device__ inline';

const rows = (words: DeviceWords): HelperRows => ({
  bits: (r) =>
    helperText([], `${r.local} ${r.scalar(r.a)} ${r.name}(${r.scalar(r.b)} x) { return ${words.bits(r.a, r.b)}; }`),
  fma: (r: HelperRequest) => {
    const t = r.scalar(r.a);
    return helperText(
      [],
      `${r.local} ${t} ${r.name}(${t} a, ${t} b, ${t} c) { return ${r.tokens.library('fma', r.a)}(a, b, c); }`,
    );
  },
  ...warpHelpers(words.warp),
  ...gpuAtomics({
    pointer: (element) => `${element}*`,
    swap: (_, at, expected, desired) => words.swap(at, expected, desired),
    native: (kind, { a }) => words.atomic(kind, a),
  }),
});
