import { call, gnuSpellings, type HelperText, type Site, type Spelling, type Spellings } from '@filigree/backend';
import { lanesOf, scalarOf, type Op } from '@filigree/ir';

/** Functions that glibc has for vectors, by headers that came with the first version that does, 2.22 and 2.35, and how many numbers each takes. */
const VERSIONS: readonly { readonly marks: readonly string[]; readonly functions: Readonly<Record<string, 1 | 2>> }[] =
  [
    { marks: ['bits/math-vector.h'], functions: { exp: 1, log: 1, sin: 1, cos: 1, pow: 2 } },
    {
      marks: ['bits/math-vector.h', 'sys/rseq.h'],
      functions: {
        tan: 1,
        asin: 1,
        acos: 1,
        atan: 1,
        atan2: 2,
        sinh: 1,
        cosh: 1,
        tanh: 1,
        asinh: 1,
        acosh: 1,
        atanh: 1,
        expm1: 1,
        log1p: 1,
        log2: 1,
        log10: 1,
        cbrt: 1,
        hypot: 2,
      },
    },
  ];

/**
 * Where the C library has a function for vectors, to four units in the last place, it is said that it does, and the compiler calls it in loops that it puts on lanes, if arithmetic is
 * free to differ by rounding. It knows of them by a header alone, which generated code does without.
 */
export const laneFunctions: Spellings = Object.fromEntries(
  VERSIONS.flatMap(({ functions }) => Object.keys(functions)).map((name): [string, Spelling] => {
    const plain = gnuSpellings[`math.${name}`]!;
    const write: Spelling['write'] = (op, args, site) => {
      const { type } = op.results[0]!;
      if (lanesOf(type) === 1) site.helper(`lanes_of_${name}_${scalarOf(type)}`);
      return isLoneSine(op, site)
        ? call(site.helper(`lone_sin_${scalarOf(type)}`), ...args)
        : plain.write(op, args, site);
    };
    return [`math.${name}`, { effect: 'pure', write }];
  }),
);

/** Sines in loops for lanes: g++ makes one call of the sine and the cosine of a number, which no vectors have, unless it does not know that the one is a sine. */
const isLoneSine = (op: Op, site: Site): boolean => {
  const [result] = op.results;
  return op.name === 'math.sin' && lanesOf(result!.type) === 1 && site.onLanes(result!) && !site.sameOnLanes(result!);
};

/** Helpers by name, with what says that the C library has a function for vectors before one that calls it on each lane. */
export const withLaneFunctions =
  (helper: (name: string) => HelperText) =>
  (name: string): HelperText => {
    const [, called, of] = /^([a-z0-9]+)x\d+_(f32|f64)$/.exec(name) ?? [];
    const there = called !== undefined && laneFunctions[`math.${called}`] !== undefined;
    const { text, needs } = laneFunction(name) ?? loneSine(name) ?? helper(name);
    return { text, needs: there ? [`lanes_of_${called}_${of}`, ...needs] : needs };
  };

/** The sine by another name. */
const loneSine = (helper: string): HelperText | undefined => {
  const [, of] = /^lone_sin_(f32|f64)$/.exec(helper) ?? [];
  if (of === undefined) return undefined;
  const [type, name] = of === 'f32' ? ['float', 'sinf'] : ['double', 'sin'];
  return {
    text: [
      `#if ${hasVectors(VERSIONS[0]!.marks)}`,
      ...outsideOfCpp,
      `__attribute__((simd("notinbranch"), const, nothrow)) ${type} ${helper}(${type}) __asm__("${name}");`,
      '#else',
      `static inline ${type} ${helper}(${type} x) { return __builtin_${name}(x); }`,
      '#endif',
    ].join('\n'),
    needs: [],
  };
};

/** What says that the C library has a function for vectors: glibc on x86-64 does. */
const laneFunction = (helper: string): HelperText | undefined => {
  const [, name, of] = /^lanes_of_(\w+)_(f32|f64)$/.exec(helper) ?? [];
  const version = VERSIONS.find(({ functions }) => name !== undefined && Object.hasOwn(functions, name));
  if (name === undefined || version === undefined) return undefined;
  const [type, suffix] = of === 'f32' ? ['float', 'f'] : ['double', ''];
  const parameters = Array<string>(version.functions[name]!).fill(type).join(', ');
  return {
    text: [
      `#if ${hasVectors(version.marks)}`,
      ...outsideOfCpp,
      `__attribute__((simd("notinbranch"), nothrow)) ${type} ${name}${suffix}(${parameters});`,
      '#endif',
    ].join('\n'),
    needs: [],
  };
};

const hasVectors = (marks: readonly string[]): string => {
  const there = marks.map((header) => `__has_include(<${header}>)`).join(' && ');
  return `defined(FILIGREE_FAST_MATH) && defined(__x86_64__) && !defined(__clang__) && ${there}`;
};

const outsideOfCpp = ['#ifdef __cplusplus', 'extern "C"', '#endif'];
