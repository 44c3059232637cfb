import {
  type CFamilyDialect,
  type HelperText,
  type ScratchArray,
  type StartedPart,
  cppStoredTypes,
  cppTypes,
  declareArrays,
  gnuHelper,
  gnuSpellings,
  gnuVectorName,
} from '@filigree/backend';
import type { NativeLanguage } from '../native-language.js';
import { casts, lowHalf, narrow } from './casts.js';
import { laneFunctions, withLaneFunctions } from './lane-functions.js';

const helper = gnuHelper({
  scalar: (t) => cppTypes[t],
  stored: (t) => cppStoredTypes[t] ?? cppTypes[t],
  local: 'static inline',
});

/* Where the share of one thread of many begins; the shares differ by one iteration at most. */
const share: HelperText = {
  text: [
    'static inline long long share(long long trips, int thread, int threads) {',
    '  const long long rest = trips % threads;',
    '  return trips <= 0 ? 0 : trips / threads * thread + (thread < rest ? thread : rest);',
    '}',
  ].join('\n'),
  needs: [],
};

const own: Readonly<Record<string, HelperText | undefined>> = { share, low_half_u64: lowHalf, narrow_f64: narrow };

/* Kernels may run on small stacks: a call that Node makes in the background has 128 KiB. */
const mostOnStack = 16384;

const scratch = (arrays: readonly ScratchArray[]): readonly string[] =>
  declareArrays(arrays, arrays.reduce((sum, a) => sum + a.bytes, 0) <= mostOnStack ? '' : 'static thread_local ');

/*
 * One thread needs no team, and neither do few iterations. Shares are equal, or taken piece by piece. Where it is known that
 * there will be one thread only, compilers have half of the work: they copy parts into the functions that call them.
 */
const startPart = ({ name, alone, args, trips, worth, dynamic, threads }: StartedPart): readonly string[] => {
  const call = (part: string, from: string, to: string): string => `${part}(${[...args, from, to].join(', ')});`;
  const bound = (thread: string): string => `share(trips, ${thread}, omp_get_num_threads())`;
  const team = threads === undefined ? 'threads' : 'team';
  return [
    '{',
    `  const long long trips = ${trips};`,
    '  #ifdef FILIGREE_ONE_THREAD',
    `    ${call(alone, '0', 'trips')}`,
    '  #else',
    ...(threads === undefined ? [] : [`  const int team = threads < ${threads} ? threads : ${threads};`]),
    `  if (${team} == 1 || trips < ${Math.max(2, worth)}) ${call(alone, '0', 'trips')}`,
    ...(dynamic
      ? [
          '  else {',
          `    const long long piece = trips / (${piecesPerThread} * ${team}) + 1;`,
          '    long long next = 0;',
          `    #pragma omp parallel num_threads(${team})`,
          '    for (long long from; (from = __atomic_fetch_add(&next, piece, __ATOMIC_RELAXED)) < trips;)',
          `      ${call(name, 'from', 'trips - from < piece ? trips : from + piece')}`,
          '  }',
        ]
      : [
          '  else',
          `  #pragma omp parallel num_threads(${team})`,
          `  ${call(name, bound('omp_get_thread_num()'), bound('omp_get_thread_num() + 1'))}`,
        ]),
    '  #endif',
    '}',
  ];
};

/* Small enough that no thread waits long for another, large enough that taking one costs nothing. */
const piecesPerThread = 32;

/** C++ with OpenMP, as gcc and clang take it, without any header. */
export const cppDialect: CFamilyDialect = {
  name: 'cpp',
  scalar: cppTypes,
  index: 'long long',
  vector: (lanes, of) => ({ helper: `vectorx${lanes}_${of}`, name: gnuVectorName(lanes, of) }),
  stored: cppStoredTypes,
  scratch,
  pointer: (element, readOnly) => `${readOnly ? 'const ' : ''}${element}* __restrict `,
  place: (element, readOnly) => `${readOnly ? 'const ' : ''}${element}*`,
  chunk: { open: '[&]() __attribute__((noinline)) {', close: '}();' },
  unknownZero: 'unknown_zero',
  rounded: 'rounded',
  extremesByCall: true,
  alone: 'alone',
  spellings: { ...gnuSpellings, ...laneFunctions, 'arith.cast': casts },
  helper: withLaneFunctions((name) => own[name] ?? helper(name)),
  local: 'static',
  /* In its entry, which finds buffers in the slab, g++ would compute with these sums in the kernel's loops, and run out of registers. */
  head: (name, params) => `static __attribute__((noinline)) void ${name}(${params.join(', ')})`,
  independent: (lanes, accumulated) => [
    lanes
      ? ['#pragma omp simd', ...accumulated.map((a) => `reduction(${a.helper}:${a.variable})`)].join(' ')
      : 'FILIGREE_INDEPENDENT',
  ],
  /* gcc takes the one clause as an order not to vectorise; without the other clang takes it for granted that iterations are independent. */
  scalarLoop: ['#pragma omp simd safelen(1) simdlen(1)'],
  offLanes: ['__asm__ volatile("");'],
  keptLoop: ['#pragma GCC unroll 1'],
  part: {
    head: (name, params) => `static void ${name}(${params.join(', ')})`,
    prologue: () => [],
    rangeParams: (count) => [`${count} begin`, `${count} end`],
    start: startPart,
    thread: 'omp_get_thread_num()',
    beside: (text) => `#ifndef FILIGREE_ONE_THREAD\n${text}#endif\n`,
    helpers: ['share'],
  },
};

/** C++ as the compilers of this machine take it. */
export const cppLanguage: NativeLanguage = {
  name: 'cpp',
  language: 'cpp',
  standard: '-std=gnu++2a',
  dialect: cppDialect,
};
