import { gnuSpellings, type HelperText, type Spelling, type Spellings } from '@filigree/backend';
import { lanesOf, scalarOf } from '@filigree/ir';

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
      return plain.write(op, args, site);
    };
    return [`math.${name}`, { effect: 'pure', write }];
  }),
);

/** Helpers by name, with what says that the C library has a function for vectors before one that calls it on each lane. */
export const withLaneFunctions =
  (helper: (name: string) => HelperText) =>
  (name: string): HelperText => {
    const [, called, of] = /^([a-z0-9]+)x\d+_(f32|f64)$/.exec(name) ?? [];
    const there = called !== undefined && laneFunctions[`math.${called}`] !== undefined;
    const { text, needs } = laneFunction(name) ?? helper(name);
    return { text, needs: there ? [`lanes_of_${called}_${of}`, ...needs] : needs };
  };

/** What says that the C library has a function for vectors: glibc on x86-64 does. */
const laneFunction = (helper: string): HelperText | undefined => {
  const [, name, of] = /^lanes_of_(\w+)_(f32|f64)$/.exec(helper) ?? [];
  const version = VERSIONS.find(({ functions }) => name !== undefined && Object.hasOwn(functions, name));
  if (name === undefined || version === undefined) return undefined;
  const [type, suffix] = of === 'f32' ? ['float', 'f'] : ['double', ''];
  const parameters = Array<string>(version.functions[name]!).fill(type).join(', ');
  const there = version.marks.map((header) => `__has_include(<${header}>)`).join(' && ');
  return {
    text: [
      `#if defined(FILIGREE_FAST_MATH) && defined(__x86_64__) && !defined(__clang__) && ${there}`,
      '#ifdef __cplusplus',
      'extern "C"',
      '#endif',
      `__attribute__((simd("notinbranch"), nothrow)) ${type} ${name}${suffix}(${parameters});`,
      '#endif',
    ].join('\n'),
    needs: [],
  };
};
