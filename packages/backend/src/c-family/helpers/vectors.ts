import { type ScalarType, byteSize, isFloat } from '@filigree/ir';
import { suffix } from '../tokens.js';
import { type HelperRequest, type HelperText, helperText } from './helper.js';

/** The name of a vector type of the extension that gcc and clang share. */
export const gnuVectorName = (lanes: number, of: ScalarType): string => `${of}x${lanes}`;

/** The name of the same where it lies in memory. */
const inMemory = ({ a }: HelperRequest, lanes: number): string => `${gnuVectorName(lanes, a)}_at`;

/*
 * g++ 12 puts 8 doubles in another order by an instruction that moves them within pairs, also where lanes 2 and 3 are to come from behind the
 * first four: wrong numbers. So none of what takes numbers of a vector one by one and puts them together again may make one order of that.
 */
const unshuffled = [
  '#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)',
  '#pragma GCC optimize("no-tree-forwprop", "no-tree-slp-vectorize")',
  '#endif',
];

/** Vectors, by the extension that gcc and clang share; memory need not be aligned to them. */
export const vectorHelpers: Readonly<Record<string, (r: HelperRequest, lanes: number) => HelperText>> = {
  vector: (r, lanes) =>
    helperText(
      [],
      ...(r.a === 'f64' && lanes >= 8 ? unshuffled : []),
      `typedef ${r.scalar(r.a)} ${gnuVectorName(lanes, r.a)} __attribute__((vector_size(${lanes * byteSize(r.a)})));`,
      /* In memory, at any element: copied as bytes it would be one of bytes to gcc, and change its type on the stack. */
      `typedef ${r.scalar(r.a)} ${inMemory(r, lanes)} __attribute__((vector_size(${lanes * byteSize(r.a)}), aligned(1), may_alias));`,
    ),
  splat: (r, lanes) =>
    onVector(
      r,
      lanes,
      (v) => `${v} ${r.name}(${r.scalar(r.a)} x) { return ${r.tokens.vector(v, Array<string>(lanes).fill('x'))}; }`,
    ),
  /* Words count round, those with a sign as those without. */
  iota: (r, lanes) => {
    const whole = gnuVectorName(lanes, 'u32');
    const lane = (write: (k: number) => string): readonly string[] => Array.from({ length: lanes }, (_, k) => write(k));
    const [counts, all] = [
      r.tokens.vector(whole, lane(String)),
      (v: string) =>
        r.tokens.vector(
          v,
          lane(() => 'x'),
        ),
    ];
    return onVector(
      r,
      lanes,
      (v) => `${v} ${r.name}(${r.scalar(r.a)} x) { return (${v})((${whole})${all(v)} + ${counts}); }`,
      ['u32'],
    );
  },
  insert: (r, lanes) =>
    onVector(r, lanes, (v) => `${v} ${r.name}(${v} v, int lane, ${r.scalar(r.a)} x) { v[lane] = x; return v; }`),
  load: (r, lanes) =>
    onVector(r, lanes, (v) => `${v} ${r.name}(const ${r.stored(r.a)}* p) { return *(const ${inMemory(r, lanes)}*)p; }`),
  /* A compiler that runs short of registers would use the memory once more, which takes as long as a load. */
  keep: (r, lanes) =>
    onVector(r, lanes, (v) =>
      [
        `${v} ${r.name}(const ${r.stored(r.a)}* p) {`,
        `  ${v} v = *(const ${inMemory(r, lanes)}*)p;`,
        ...pinned(lanes * byteSize(r.a)),
        '  return v;',
        '}',
      ].join('\n'),
    ),
  store: (r, lanes) =>
    onVector(r, lanes, (v) => `void ${r.name}(${r.stored(r.a)}* p, ${v} v) { *(${inMemory(r, lanes)}*)p = v; }`),
  loadFirst: (r, lanes) =>
    onVector(r, lanes, (v) =>
      [
        `${v} ${r.name}(const ${r.stored(r.a)}* p, int count) {`,
        ...masked(
          r.a,
          lanes,
          (m) =>
            `  return (${v})__builtin_ia32_loadu${m}_mask((const ${r.stored(r.a)}*)p, ${r.tokens.vector(v, [])}, MASK);`,
        ),
        `  ${v} v = ${r.tokens.zeros};`,
        '  __builtin_memcpy(&v, p, count * sizeof *p);',
        '  return v;',
        ...endOfMasked(r.a, lanes),
        '}',
      ].join('\n'),
    ),
  storeFirst: (r, lanes) =>
    onVector(r, lanes, (v) =>
      [
        `void ${r.name}(${r.stored(r.a)}* p, ${v} v, int count) {`,
        ...masked(r.a, lanes, (m) => `  __builtin_ia32_storeu${m}_mask(p, v, MASK);`),
        '  __builtin_memcpy(p, &v, count * sizeof *p);',
        ...endOfMasked(r.a, lanes),
        '}',
      ].join('\n'),
    ),
  add: (r, lanes) => wrapping(r, lanes, '+'),
  sub: (r, lanes) => wrapping(r, lanes, '-'),
  mul: (r, lanes) => wrapping(r, lanes, '*'),
  neg: (r, lanes) =>
    onVector(r, lanes, (v) => `${v} ${r.name}(${v} a) { return (${v})-(${gnuVectorName(lanes, 'u32')})a; }`, ['u32']),
  min: (r, lanes) => (isFloat(r.a) ? extremeOfFloats(r, lanes, '<', '|') : extreme(r, lanes, '<')),
  max: (r, lanes) => (isFloat(r.a) ? extremeOfFloats(r, lanes, '>', '&') : extreme(r, lanes, '>')),
  below: (r, lanes) => bounded(r, lanes, '<'),
  above: (r, lanes) => bounded(r, lanes, '>'),
  choose: (r, lanes) => {
    if (byteSize(r.a) === 4) return choice(r, lanes);
    const [mask, blend] = [gnuVectorName(lanes, 'i64'), `blendx${lanes}_${r.a}`];
    const { text, needs } = onVector(
      r,
      lanes,
      (v) =>
        `${v} ${r.name}(${gnuVectorName(lanes, 'i32')} c, ${v} a, ${v} b) { return ${blend}(__builtin_convertvector(c, ${mask}), a, b); }`,
      ['i32'],
    );
    return helperText([...needs, blend], text);
  },
  blend: (r, lanes) => choice(r, lanes),
  /* Words of ones or zeros, as numbers of 64 bits: as many are folded at once as a register has. */
  any: (r, lanes) => {
    const mask = gnuVectorName(lanes, 'i32');
    const halves = (n: number): readonly string[] =>
      n === 1 ? [] : [`  for (int k = 0; k < ${n / 2}; k++) w[k] |= w[k + ${n / 2}];`, ...halves(n / 2)];
    return helperText(
      [`vectorx${lanes}_i32`],
      `${r.local} ${r.scalar('i1')} ${r.name}(${mask} v) {`,
      `  unsigned long long w[${lanes / 2}];`,
      '  __builtin_memcpy(w, &v, sizeof w);',
      ...halves(lanes / 2),
      '  return w[0] != 0;',
      '}',
    );
  },
  /* Floats to i32: truncates, saturates, NaN gives 0. */
  cut: (r, lanes) => {
    const [choose, whole, f] = [chooser(r, lanes), gnuVectorName(lanes, 'i32'), suffix(r.a)];
    const all = (x: string): string => r.tokens.vector(gnuVectorName(lanes, r.a), Array<string>(lanes).fill(x));
    /* No f32 is 2³¹ - 1. */
    const isNarrow = r.a === 'f32';
    const most = isNarrow ? `2147483648.0${f}` : '2147483647.0';
    const { text, needs } = onVector(
      r,
      lanes,
      (v) =>
        [
          `${whole} ${r.name}(${v} x) {`,
          `  const ${v} least = ${all(`-2147483648.0${f}`)}, most = ${all(most)}, none = ${all(`0.0${f}`)};`,
          `  const ${v} number = ${choose}(x > least, x, ${choose}(x == x, least, none));`,
          ...(isNarrow
            ? [
                `  const ${whole} w = __builtin_convertvector(${choose}(x < most, number, none), ${whole});`,
                `  return choosex${lanes}_i32(x >= most, ${r.tokens.vector(whole, Array<string>(lanes).fill('2147483647'))}, w);`,
              ]
            : [`  return __builtin_convertvector(${choose}(number < most, number, most), ${whole});`]),
          '}',
        ].join('\n'),
      ['i32'],
    );
    return helperText([...needs, choose, ...(isNarrow ? [`choosex${lanes}_i32`] : [])], text);
  },
  /* Sums of products in vectors are written so as they are to be: compilers would split long ones, or not fuse them. */
  fma: (r, lanes) =>
    onVector(r, lanes, (v) =>
      [
        `${v} ${r.name}(${v} a, ${v} b, ${v} c) {`,
        ...fused(r.a, lanes).flatMap(({ when, text }, k) => [
          `${k === 0 ? '#if' : '#elif'} ${when}`,
          `  return ${text};`,
        ]),
        ...(fused(r.a, lanes).length > 0 ? ['#else'] : []),
        '  return a * b + c;',
        ...(fused(r.a, lanes).length > 0 ? ['#endif'] : []),
        '}',
      ].join('\n'),
    ),
};

/** An empty instruction that wants `v` in a register, for processors that have registers of so many bytes. */
const pinned = (bytes: number): readonly string[] => {
  const on = (when: string, constraint: string): readonly string[] => [when, `  __asm__("" : "+${constraint}"(v));`];
  return [
    ...on('#if defined __AVX512VL__ && defined __AVX512F__', 'v'),
    ...(bytes > 32 ? [] : on(bytes === 32 ? '#elif defined __AVX__' : '#elif defined __x86_64__', 'x')),
    ...(bytes === 16 ? on('#elif defined __aarch64__', 'w') : []),
    '#endif',
  ];
};

/** The instruction that multiplies and adds vectors, with the condition under which a compiler for x86 has it. */
const fused = (of: ScalarType, lanes: number): readonly { readonly when: string; readonly text: string }[] => {
  const bytes = lanes * byteSize(of);
  const name = `__builtin_ia32_vfmadd${of === 'f64' ? 'pd' : 'ps'}`;
  if (bytes === 16) return [{ when: 'defined __FMA__', text: `${name}(a, b, c)` }];
  if (bytes === 32) return [{ when: 'defined __FMA__', text: `${name}256(a, b, c)` }];
  return bytes === 64 ? [{ when: 'defined __AVX512F__', text: `${name}512_mask(a, b, c, -1, 4)` }] : [];
};

/** A statement with an instruction of AVX-512 that takes a mask, and what else is written where there is none. */
const masked = (of: ScalarType, lanes: number, statement: (name: string) => string): readonly string[] => {
  const name = maskedName(of, lanes);
  if (name === undefined) return [];
  const wide = lanes * byteSize(of) === 64;
  const type = lanes > 8 ? 'unsigned short' : 'unsigned char';
  return [
    `#if defined __AVX512F__${wide ? '' : ' && defined __AVX512VL__'}`,
    statement(name).replace('MASK', `(${type})((1u << count) - 1)`),
    '#else',
  ];
};

const endOfMasked = (of: ScalarType, lanes: number): readonly string[] =>
  maskedName(of, lanes) === undefined ? [] : ['#endif'];

/** `pd512` and the like, for vectors of floats of 16, 32 or 64 bytes. */
const maskedName = (of: ScalarType, lanes: number): string | undefined => {
  const bits = 8 * lanes * byteSize(of);
  return (of === 'f64' || of === 'f32') && [128, 256, 512].includes(bits)
    ? `${of === 'f64' ? 'pd' : 'ps'}${bits}`
    : undefined;
};

/** @param beside types of other vectors of as many lanes in it */
const onVector = (
  r: HelperRequest,
  lanes: number,
  define: (vector: string) => string,
  beside: readonly ScalarType[] = [],
): HelperText =>
  helperText(
    [r.a, ...beside].map((t) => `vectorx${lanes}_${t}`),
    `${r.local} ${define(gnuVectorName(lanes, r.a))}`,
  );

/** Signed integers wrap, which C leaves undefined. */
const wrapping = (r: HelperRequest, lanes: number, op: '+' | '-' | '*'): HelperText => {
  const whole = gnuVectorName(lanes, 'u32');
  return onVector(r, lanes, (v) => `${v} ${r.name}(${v} a, ${v} b) { return (${v})((${whole})a ${op} (${whole})b); }`, [
    'u32',
  ]);
};

/** A choice by truth values that have as many bits as what is chosen. C has none between vectors; a truth value is a word of ones there, or of zeros. */
const choice = (r: HelperRequest, lanes: number): HelperText => {
  const [signed] = wordsOf(r);
  const mask = gnuVectorName(lanes, signed);
  return onVector(
    r,
    lanes,
    (v) =>
      [
        `${v} ${r.name}(${mask} c, ${v} a, ${v} b) {`,
        '#ifdef __cplusplus',
        '  return c ? a : b;',
        '#else',
        `  return (${v})((c & (${mask})a) | (~c & (${mask})b));`,
        '#endif',
        '}',
      ].join('\n'),
    [signed],
  );
};

/** The integers of as many bits. */
const wordsOf = ({ a }: HelperRequest): readonly [ScalarType, ScalarType] =>
  byteSize(a) === 8 ? ['i64', 'u64'] : ['i32', 'u32'];

/** What chooses by a comparison. */
const chooser = ({ a }: HelperRequest, lanes: number): string =>
  `${byteSize(a) === 8 ? 'blend' : 'choose'}x${lanes}_${a}`;

const extreme = (r: HelperRequest, lanes: number, sign: '<' | '>'): HelperText => {
  const choose = chooser(r, lanes);
  const { text } = onVector(r, lanes, (v) => `${v} ${r.name}(${v} a, ${v} b) { return ${choose}(a ${sign} b, a, b); }`);
  return helperText([choose], text);
};

/* As of scalars: NaN if either is NaN, and -0 below +0 where the sign of zero counts. */
const extremeOfFloats = (r: HelperRequest, lanes: number, sign: '<' | '>', join: '|' | '&'): HelperText => {
  const [choose, unsigned] = [chooser(r, lanes), wordsOf(r)[1]];
  const bits = gnuVectorName(lanes, unsigned);
  const { text } = onVector(r, lanes, (v) =>
    [
      `${v} ${r.name}(${v} a, ${v} b) {`,
      `  const ${v} m = ${choose}(a ${sign} b, a, b);`,
      '#ifdef FILIGREE_FAST_MATH',
      `  return ${choose}(a != a, a, m);`,
      '#else',
      `  return ${choose}(a != a, a, ${choose}(a == b, (${v})((${bits})a ${join} (${bits})b), m));`,
      '#endif',
      '}',
    ].join('\n'),
  );
  return helperText([choose, `vectorx${lanes}_${unsigned}`], text);
};

/* The same where `b` is neither NaN nor zero. */
const bounded = (r: HelperRequest, lanes: number, sign: '<' | '>'): HelperText => {
  const choose = chooser(r, lanes);
  const { text } = onVector(r, lanes, (v) => `${v} ${r.name}(${v} a, ${v} b) { return ${choose}(b ${sign} a, b, a); }`);
  return helperText([choose], text);
};
