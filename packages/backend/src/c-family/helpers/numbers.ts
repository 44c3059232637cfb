import { isFloat } from '@filigree/ir';
import { suffix } from '../tokens.js';
import { type HelperRow, type HelperRows, binary, helperText, unary, widthOf, wordOf } from './helper.js';

/**
 * `Math.min` and `Math.max`: NaN if either is NaN, and -0 below +0. The last is dropped where the sign of zero does not
 * count. Written without branches, so that compilers make vector code of it. Zeros are told apart by a sum, which is -0 only of two of them, and not by their bits:
 * over loops of some twenty choices between words and floats gcc 12 sits for minutes.
 */
const extreme = (sign: '<' | '>', ofZeros: string): HelperRow =>
  binary((r) =>
    isFloat(r.a)
      ? [
          `const ${r.scalar(r.a)} m = a ${sign} b ? a : b;  // b where they are equal or either is NaN`,
          '#ifdef FILIGREE_FAST_MATH',
          'return a != a ? a : m;',
          '#else',
          `return a != a ? a : ((a == b) & (a == 0)) ? ${ofZeros} : m;`,
          '#endif',
        ]
      : [`return a ${sign} b ? a : b;`],
  );

/** The same where `b` is neither NaN nor zero: one instruction, as a comparison with NaN is false. */
const extremeOf = (sign: '<' | '>'): HelperRow => binary(() => [`return b ${sign} a ? b : a;`]);

/** The same of `b` that a loop hands on: by a branch, which compilers are kept from making a choice of, as it costs nothing while it goes one way. */
const latestOf = (sign: '<' | '>', name: 'min' | 'max'): HelperRow =>
  binary(
    (r) => [
      '#ifdef FILIGREE_FAST_MATH',
      `if (a ${sign} b || a != a) return alone_${r.a}(a);`,
      'return b;',
      '#else',
      `return ${name}_${r.a}(a, b);`,
      '#endif',
    ],
    (r) => [`alone_${r.a}`, `${name}_${r.a}`],
  );

/** What chooses between `a` and `b` by bits of a `word`, but where compilers that define this do it well by themselves. */
const choiceByBits = (unless: string, word: string, to: string, from: string): readonly string[] => [
  `#ifdef ${unless}`,
  '  return c ? a : b;',
  '#else',
  `  const ${word} m = -(${word})c;`,
  `  return ${to}((${from}(a) & m) | (${from}(b) & ~m));`,
  '#endif',
  '}',
];

/**
 * Integer division that wraps at -1 and reports a zero divisor instead of stopping the process. A remainder is often of what lies below the divisor already, as in
 * a ring, `(i + 1) % n`: then nothing is divided, which takes ten times as long.
 */
const guarded =
  (op: '/' | '%'): HelperRow =>
  (r) => {
    const t = r.scalar(r.a);
    const atMinusOne = op === '/' ? `neg_${r.a}(a)` : '0';
    const signed = r.a.startsWith('i');
    return helperText(
      op === '/' && signed ? [`neg_${r.a}`] : [],
      `${r.local} ${t} ${r.name}(${t} a, ${t} b, ${r.tokens.status}) {`,
      ...(op === '%' && signed ? ['  if (a >= 0 && a < b) return a;'] : []),
      '  if (b == 0) {',
      `    ${r.tokens.trap('divisionByZero')}`,
      '    return 0;',
      '  }',
      ...(signed ? [`  if (b == -1) return ${atMinusOne};`] : []),
      `  return (${t})(a ${op} b);`,
      '}',
    );
  };

/** Wrapping arithmetic on signed integers and on those that C would widen; of floats the plain operation. */
const wrapping =
  (op: '+' | '-' | '*'): HelperRow =>
  (r) => {
    if (isFloat(r.a)) return binary(() => [`return a ${op} b;`])(r);
    const [t, u] = [r.scalar(r.a), widthOf(r.a) === 64 ? r.scalar('u64') : r.scalar('u32')];
    return helperText([], `${r.local} ${t} ${r.name}(${t} a, ${t} b) { return (${t})((${u})a ${op} (${u})b); }`);
  };

/** Arithmetic that C leaves undefined, or does otherwise than JavaScript. */
export const numberHelpers: HelperRows = {
  add: wrapping('+'),
  sub: wrapping('-'),
  mul: wrapping('*'),
  neg: (r) => {
    const [t, u] = [r.scalar(r.a), widthOf(r.a) === 64 ? r.scalar('u64') : r.scalar('u32')];
    return helperText([], `${r.local} ${t} ${r.name}(${t} a) { return (${t})(0 - (${u})a); }`);
  },
  min: extreme('<', '-(-a - b)'),
  max: extreme('>', 'a + b'),
  lowest: latestOf('<', 'min'),
  highest: latestOf('>', 'max'),
  below: extremeOf('<'),
  above: extremeOf('>'),
  /*
   * For a loop on vector lanes. Where vectors are loaded under masks a compiler may make a branch of it and still blend, as
   * long as it is kept from going separate ways through the loop, one for each case of a counter; elsewhere by bits.
   */
  choose: (r) => {
    const [t, whole] = [r.scalar(r.a), wordOf(r.a)];
    const [to, from] = [`bits_${r.a}_${whole}`, `bits_${whole}_${r.a}`];
    return helperText(
      [to, from],
      '#if defined __AVX2__ && !defined __clang__',
      '#pragma GCC optimize("no-thread-jumps")',
      '#endif',
      `${r.local} ${t} ${r.name}(${r.scalar('i1')} c, ${t} a, ${t} b) {`,
      ...choiceByBits('__AVX2__', r.scalar(whole), to, from),
    );
  },
  /* The same where the condition is one for all lanes: gcc takes no such condition on lanes, but its bits. */
  pick: (r) => {
    const t = r.scalar(r.a);
    const head = `${r.local} ${t} ${r.name}(${r.scalar('i1')} c, ${t} a, ${t} b) {`;
    if (r.a === 'i1') return helperText([], `${head} return (c & a) | (!c & b); }`);
    const whole = isFloat(r.a) ? wordOf(r.a) : widthOf(r.a) === 64 ? 'u64' : 'u32';
    const [to, from] = isFloat(r.a)
      ? [`bits_${r.a}_${whole}`, `bits_${whole}_${r.a}`]
      : [`(${t})`, `(${r.scalar(whole)})`];
    return helperText(isFloat(r.a) ? [to, from] : [], head, ...choiceByBits('__clang__', r.scalar(whole), to, from));
  },
  div: guarded('/'),
  rem: guarded('%'),
  /* Without the instruction the builtin would be a slow call; and whether the product is rounded is left open. */
  fma: (r) => {
    const t = r.scalar(r.a);
    return helperText(
      [],
      `${r.local} ${t} ${r.name}(${t} a, ${t} b, ${t} c) {`,
      '#if defined __FMA__ || defined __ARM_FEATURE_FMA || defined __FP_FAST_FMA',
      `  return __builtin_fma${suffix(r.a)}(a, b, c);`,
      '#else',
      '  return a * b + c;',
      '#endif',
      '}',
    );
  },
  /* gcc forgets to round where it makes lanes of single values that are rounded and widened again and nothing more (at least up to 12). */
  fround: unary((r) => ['const float f = (float)x;', `return f == f ? f : ${r.tokens.nan('f32')};`]),
  /* gcc 12 makes one instruction of products that are added to and subtracted from in turn, though sums are not to be contracted. */
  rounded: unary(() => [
    '#if defined(FILIGREE_FAST_MATH) || defined(FILIGREE_CONTRACT) || !defined(__has_builtin)',
    'return x;',
    '#elif __has_builtin(__builtin_assoc_barrier)',
    'return __builtin_assoc_barrier(x);',
    '#else',
    'return x;',
    '#endif',
  ]),
  /* An empty instruction that wants the number in a register. */
  alone: unary((r) => {
    const on = (when: string, constraint: string): readonly string[] => [when, `__asm__("" : "+${constraint}"(x));`];
    const isReal = isFloat(r.a);
    return [
      ...on('#if defined __x86_64__', isReal ? 'x' : 'r'),
      ...on('#elif defined __aarch64__', isReal ? 'w' : 'r'),
      '#endif',
      'return x;',
    ];
  }),
  sign: unary(() => ['return x > 0 ? 1 : x < 0 ? -1 : x;']),
  /* Halves towards +infinity, as Math.round; -0 for (-0.5, -0]. */
  round: unary((r, s) => [
    `const ${r.scalar(r.a)} f = ${r.tokens.library('floor', r.a)}(x);`,
    `return ${r.tokens.library('copysign', r.a)}(x - f >= 0.5${s} ? f + 1 : f, x);`,
  ]),
  /* C says 1 for pow(1, NaN) and pow(±1, ±infinity); JavaScript says NaN. */
  pow: binary((r) => {
    const [abs, sqrt, pow] = ['fabs', 'sqrt', 'pow'].map((name) => r.tokens.library(name, r.a));
    const infinity = r.tokens.infinity(r.a);
    return [
      `const ${r.scalar('i1')} undefined = b != b || (${abs}(a) == 1 && ${abs}(b) == ${infinity});`,
      /* gcc takes the root of lanes itself, and that of -infinity and -0 is no power. */
      `if (b == 0.5${suffix(r.a)}) return a == -${infinity} ? ${infinity} : ${sqrt}(a + 0);`,
      `return undefined ? ${r.tokens.nan(r.a)} : ${pow}(a, b);`,
    ];
  }),
};
