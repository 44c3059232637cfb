import { gnuSpellings, type HelperText, type Spelling, type Spellings } from '@filigree/backend';
import { lanesOf, scalarOf } from '@filigree/ir';

/** Functions that C libraries may have for vectors. */
const FUNCTIONS = ['exp', 'log', 'sin', 'cos'] as const;

/**
 * Functions in loops on lanes: where the C library has them for vectors, to four units in the last place, it is said that it does, and the compiler calls these where arithmetic is free to
 * differ by rounding. It knows of them by a header alone, which generated code does without.
 */
export const laneFunctions: Spellings = Object.fromEntries(
  FUNCTIONS.map((name): [string, Spelling] => {
    const plain = gnuSpellings[`math.${name}`]!;
    const write: Spelling['write'] = (op, args, site) => {
      const { type } = op.results[0]!;
      if (lanesOf(type) === 1 && site.onLanes(op.results[0]!)) site.helper(`lanes_of_${name}_${scalarOf(type)}`);
      return plain.write(op, args, site);
    };
    return [`math.${name}`, { effect: 'pure', write }];
  }),
);

/** What says that the C library has a function for vectors: glibc on x86-64 does, of which this header is the mark. */
export const laneFunction = (helper: string): HelperText | undefined => {
  const [, name, of] = /^lanes_of_(\w+)_(f32|f64)$/.exec(helper) ?? [];
  if (name === undefined) return undefined;
  const [type, suffix] = of === 'f32' ? ['float', 'f'] : ['double', ''];
  return {
    text: [
      '#if defined(FILIGREE_FAST_MATH) && defined(__x86_64__) && !defined(__clang__) && __has_include(<bits/math-vector.h>)',
      '#ifdef __cplusplus',
      'extern "C"',
      '#endif',
      `__attribute__((simd("notinbranch"), nothrow)) ${type} ${name}${suffix}(${type});`,
      '#endif',
    ].join('\n'),
    needs: [],
  };
};
