import { type ScalarType, byteSize, integerRange } from '@filigree/ir';
import { literal } from './literal.js';

/** The definition of a helper function, and the helpers or library prototypes it calls. */
export interface HelperText {
  readonly text: string;
  readonly needs: readonly string[];
}

/**
 * What an entry point returns: 0 if all went well, else the code of one of the traps that occurred; the results must
 * then not be used.
 */
export const statusCodes = { divisionByZero: 1, step: 2, bounds: 3 } as const;

/** How a language declares what helper functions need. */
export interface HelperNames {
  /** How a value of a type is declared. */
  readonly scalar: (t: ScalarType) => string;
  /** How an element in memory is declared. */
  readonly stored: (t: ScalarType) => string;
  /** What stands before every helper: `static inline`. */
  readonly local: string;
}

/**
 * Helper functions by name, for compilers that know the builtins of gcc and clang (that is C++, CUDA and HIP). A name is
 * `what_type` or `what_from_type`, for example `min_f64`, `to_i32_f64`, `atomic_add_f32`. Throws a plain `Error` on a
 * name that a spelling should not have asked for.
 */
export const gnuHelper =
  (names: HelperNames) =>
  (name: string): HelperText => {
    const fixed = untyped[name];
    if (fixed) return { text: fixed.map((l) => l.replace('LOCAL', names.local)).join('\n'), needs: [] };
    const [, what, types] = /^(.*?)((?:_[iuf]\d+)+)$/.exec(name) ?? [];
    const [a, b] = (types ?? '').split('_').slice(1) as ScalarType[];
    const [, vector, lanes] = /^(\w+)x(\d+)$/.exec(what ?? '') ?? [];
    const onVectors = vector === undefined ? undefined : vectorRows[vector];
    if (onVectors) return onVectors({ ...names, name, a, b }, Number(lanes));
    const row = what === undefined ? undefined : rows[what];
    if (!row) throw new Error(`no helper named '${name}'`);
    return row({ ...names, name, a, b });
  };

/** The name of a vector type of the extension that gcc and clang share. */
export const gnuVectorName = (lanes: number, of: ScalarType): string => `${of}x${lanes}`;

/** The name of the same where it lies in memory. */
const inMemory = ({ a }: Request, lanes: number): string => `${gnuVectorName(lanes, a)}_at`;

interface Request extends HelperNames {
  readonly name: string;
  /** The first and second type in the name. */
  readonly a: ScalarType;
  readonly b: ScalarType;
}

type Row = (r: Request) => HelperText;

const text = (needs: readonly string[], ...lines: readonly string[]): HelperText => ({ text: lines.join('\n'), needs });

/** One function of two arguments of one type. */
const binary =
  (body: (r: Request) => readonly string[], needs: (r: Request) => readonly string[] = () => []): Row =>
  (r) => {
    const t = r.scalar(r.a);
    return text(needs(r), `${r.local} ${t} ${r.name}(${t} a, ${t} b) {`, ...body(r).map((l) => `  ${l}`), '}');
  };

const isFloat = (t: ScalarType): boolean => t === 'f32' || t === 'f64';
const bits = (t: ScalarType): number => 8 * byteSize(t);
const suffix = (t: ScalarType): string => (t === 'f32' ? 'f' : '');
const bitsOf = (t: ScalarType): ScalarType => (t === 'f32' ? 'u32' : 'u64');

/**
 * `Math.min` and `Math.max`: NaN if either is NaN, and -0 below +0. The last is dropped where the sign of zero does not
 * count. Written without branches, so that compilers make vector code of it.
 */
const extreme = (sign: '<' | '>', join: '|' | '&'): Row =>
  binary(
    (r) =>
      isFloat(r.a)
        ? [
            `const ${r.scalar(r.a)} m = a ${sign} b ? a : b;  // b where they are equal or either is NaN`,
            '#ifdef FILIGREE_FAST_MATH',
            'return a != a ? a : m;',
            '#else',
            `const ${r.scalar(r.a)} z = bits_${r.a}_${bitsOf(r.a)}(bits_${bitsOf(r.a)}_${r.a}(a) ${join} bits_${bitsOf(r.a)}_${r.a}(b));`,
            'return a != a ? a : a == b ? z : m;  // z tells the zeros apart',
            '#endif',
          ]
        : [`return a ${sign} b ? a : b;`],
    (r) => (isFloat(r.a) ? [`bits_${r.a}_${bitsOf(r.a)}`, `bits_${bitsOf(r.a)}_${r.a}`] : []),
  );

/** Integer division that wraps at -1 and reports a zero divisor instead of stopping the process. */
const guarded =
  (op: '/' | '%'): Row =>
  (r) => {
    const t = r.scalar(r.a);
    const atMinusOne = op === '/' ? `neg_${r.a}(a)` : '0';
    const signed = r.a.startsWith('i');
    return text(
      op === '/' && signed ? [`neg_${r.a}`] : [],
      `${r.local} ${t} ${r.name}(${t} a, ${t} b, int* status) {`,
      '  if (b == 0) {',
      `    __atomic_store_n(status, ${statusCodes.divisionByZero}, __ATOMIC_RELAXED);`,
      '    return 0;',
      '  }',
      ...(signed ? [`  if (b == -1) return ${atMinusOne};`] : []),
      `  return (${t})(a ${op} b);`,
      '}',
    );
  };

/** Float to integer, from type b to type a: truncates, saturates, NaN gives 0. One comparison tells the numbers that fit. */
const saturate: Row = (r) => {
  const t = r.scalar(r.a);
  const n = bits(r.a);
  const [signed, f] = [r.a.startsWith('i'), suffix(r.b)];
  const above = `${(signed ? 2n ** BigInt(n - 1) : 2n ** BigInt(n)).toString()}.0${f}`;
  const max =
    n === 64
      ? signed
        ? '9223372036854775807LL'
        : '18446744073709551615ULL'
      : `${(signed ? 2 ** (n - 1) : 2 ** n) - 1}${signed ? '' : 'u'}`;
  const min = n === 64 ? '-9223372036854775807LL - 1' : n === 32 ? '-2147483647 - 1' : `-${2 ** (n - 1)}`;
  const body = signed
    ? `__builtin_fabs${f}(x) < ${above} ? (${t})x : x >= ${above} ? (${t})${max} : x == x ? (${t})(${min}) : (${t})0`
    : `x > 0.0${f} ? (x >= ${above} ? (${t})${max} : (${t})x) : (${t})0`;
  return text([], `${r.local} ${t} ${r.name}(${r.scalar(r.b)} x) { return ${body}; }`);
};

/** Float to integer between two bounds that it can be, from type b to type a; NaN gives the lower one. */
const clamped: Row = (r) => {
  const [t, f] = [r.scalar(r.a), r.scalar(r.b)];
  return text(
    [],
    `${r.local} ${t} ${r.name}(${f} x, ${f} lo, ${f} hi) {`,
    `  const ${f} y = x > lo ? x : lo;`,
    `  return (${t})(y < hi ? y : hi);`,
    '}',
  );
};

/** One read-modify-write: `next` is the new value from `old` and `v`. */
const retry =
  (next: (r: Request) => string, needs: (r: Request) => readonly string[]): Row =>
  (r) => {
    const [t, s] = [r.scalar(r.a), r.stored(r.a)];
    const same = '__atomic_compare_exchange(p, &old, &neu, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)';
    return text(
      needs(r),
      `${r.local} ${t} ${r.name}(${s}* p, ${t} v) {`,
      `  ${s} old, neu;`,
      '  __atomic_load(p, &old, __ATOMIC_RELAXED);',
      `  do neu = ${next(r)};`,
      `  while (!${same});`,
      '  return old;',
      '}',
    );
  };

const native =
  (builtin: string): Row =>
  (r) =>
    text(
      [],
      `${r.local} ${r.scalar(r.a)} ${r.name}(${r.stored(r.a)}* p, ${r.scalar(r.a)} v) { return ${builtin}(p, v, __ATOMIC_RELAXED); }`,
    );

const plain =
  (next: (r: Request) => string, needs: (r: Request) => readonly string[] = () => []): Row =>
  (r) => {
    const [t, s] = [r.scalar(r.a), r.stored(r.a)];
    return text(
      needs(r),
      `${r.local} ${t} ${r.name}(${s}* p, ${t} v) {`,
      `  const ${t} old = *p;`,
      `  *p = (${s})(${next(r)});`,
      '  return old;',
      '}',
    );
  };

const either =
  (ifFloat: Row, otherwise: Row): Row =>
  (r) =>
    isFloat(r.a) ? ifFloat(r) : otherwise(r);

/** Wrapping arithmetic on signed integers and on those that C would widen. */
const wrapping =
  (op: '+' | '-' | '*'): Row =>
  (r) => {
    const [t, u] = [r.scalar(r.a), bits(r.a) === 64 ? r.scalar('u64') : r.scalar('u32')];
    return text([], `${r.local} ${t} ${r.name}(${t} a, ${t} b) { return (${t})((${u})a ${op} (${u})b); }`);
  };

/** Says how partial results of a loop on vector lanes are combined, and what each begins with. */
const reduction =
  (kind: string): Row =>
  (r) => {
    const [t, float] = [r.scalar(r.a), isFloat(r.a)];
    const operator = infixes[kind];
    const called = operator === undefined || (!float && (kind === 'add' || kind === 'mul'));
    const plain = called && r.a.startsWith('u') && bits(r.a) >= 32 && operator !== undefined;
    const combined = called && !plain ? `${kind}_${r.a}(omp_out, omp_in)` : `(${t})(omp_out ${operator!} omp_in)`;
    return text(
      called && !plain ? [`${kind}_${r.a}`] : [],
      `#pragma omp declare reduction(${r.name} : ${t} : omp_out = ${combined}) initializer(omp_priv = ${neutral(kind, r)})`,
    );
  };

const infixes: Readonly<Record<string, string>> = { add: '+', mul: '*', and: '&', or: '|', xor: '^' };

const neutral = (kind: string, { a: t }: Request): string => {
  if (kind === 'mul') return '1';
  if (t === 'i1') return kind === 'and' ? 'true' : 'false';
  if (isFloat(t))
    return kind === 'add' ? `-0.0${suffix(t)}` : `${kind === 'min' ? '' : '-'}__builtin_inf${suffix(t)}()`;
  const [min, max] = integerRange(t);
  const exact = kind === 'min' ? max : kind === 'max' ? min : kind === 'and' ? (t.startsWith('u') ? max : -1n) : 0n;
  return literal(String(exact), t).text;
};

const minimum = (r: Request): string => `min_${r.a}(old, v)`;
const maximum = (r: Request): string => `max_${r.a}(old, v)`;

const one =
  (body: (r: Request, s: string) => readonly string[]): Row =>
  (r) => {
    const t = r.scalar(r.a);
    return text([], `${r.local} ${t} ${r.name}(${t} x) {`, ...body(r, suffix(r.a)).map((l) => `  ${l}`), '}');
  };

/** Vectors, by the extension that gcc and clang share; memory need not be aligned to them. */
const vectorRows: Readonly<Record<string, (r: Request, lanes: number) => HelperText>> = {
  vector: (r, lanes) =>
    text(
      [],
      `typedef ${r.scalar(r.a)} ${gnuVectorName(lanes, r.a)} __attribute__((vector_size(${lanes * byteSize(r.a)})));`,
      /* In memory, at any element: copied as bytes it would be one of bytes to gcc, and change its type on the stack. */
      `typedef ${r.scalar(r.a)} ${inMemory(r, lanes)} __attribute__((vector_size(${lanes * byteSize(r.a)}), aligned(1), may_alias));`,
    ),
  splat: (r, lanes) =>
    onVector(
      r,
      lanes,
      (v) => `${v} ${r.name}(${r.scalar(r.a)} x) { return ${v}{${Array(lanes).fill('x').join(', ')}}; }`,
    ),
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
          (m) => `  return (${v})__builtin_ia32_loadu${m}_mask((const ${r.stored(r.a)}*)p, ${v}{}, MASK);`,
        ),
        `  ${v} v = {};`,
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

const onVector = (r: Request, lanes: number, define: (vector: string) => string): HelperText =>
  text([`vectorx${lanes}_${r.a}`], `${r.local} ${define(gnuVectorName(lanes, r.a))}`);

const rows: Readonly<Record<string, Row>> = {
  /* bits_to_from */
  bits: (r) => {
    const [to, from] = [r.scalar(r.a), r.scalar(r.b)];
    return text(
      [],
      `${r.local} ${to} ${r.name}(${from} x) {`,
      `  ${to} y;`,
      '  __builtin_memcpy(&y, &x, sizeof y);',
      '  return y;',
      '}',
    );
  },
  add: wrapping('+'),
  sub: wrapping('-'),
  mul: wrapping('*'),
  neg: (r) => {
    const [t, u] = [r.scalar(r.a), bits(r.a) === 64 ? r.scalar('u64') : r.scalar('u32')];
    return text([], `${r.local} ${t} ${r.name}(${t} a) { return (${t})(0 - (${u})a); }`);
  },
  min: extreme('<', '|'),
  max: extreme('>', '&'),
  /*
   * For a loop on vector lanes. Where vectors are loaded under masks a compiler may make a branch of it and still blend, as
   * long as it is kept from going separate ways through the loop, one for each case of a counter; elsewhere by bits.
   */
  choose: (r) => {
    const [t, whole] = [r.scalar(r.a), bitsOf(r.a)];
    const [to, from] = [`bits_${r.a}_${whole}`, `bits_${whole}_${r.a}`];
    return text(
      [to, from],
      '#if defined __AVX2__ && !defined __clang__',
      '#pragma GCC optimize("no-thread-jumps")',
      '#endif',
      `${r.local} ${t} ${r.name}(bool c, ${t} a, ${t} b) {`,
      '#ifdef __AVX2__',
      '  return c ? a : b;',
      '#else',
      `  const ${r.scalar(whole)} m = -(${r.scalar(whole)})c;`,
      `  return ${to}((${from}(a) & m) | (${from}(b) & ~m));`,
      '#endif',
      '}',
    );
  },
  div: guarded('/'),
  rem: guarded('%'),
  to: saturate,
  clamp: clamped,
  /* Without the instruction the builtin would be a slow call; and whether the product is rounded is left open. */
  fma: (r) => {
    const t = r.scalar(r.a);
    return text(
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
  sign: one(() => ['return x > 0 ? 1 : x < 0 ? -1 : x;']),
  ...Object.fromEntries(
    ['add', 'mul', 'min', 'max', 'and', 'or', 'xor'].map((kind) => [`reduction_${kind}`, reduction(kind)]),
  ),
  /* Halves towards +infinity, as Math.round; -0 for (-0.5, -0]. */
  round: one((_, s) => [
    `const auto f = __builtin_floor${s}(x);`,
    `return __builtin_copysign${s}(x - f >= 0.5${s} ? f + 1 : f, x);`,
  ]),
  /* C says 1 for pow(1, NaN) and pow(±1, ±infinity); JavaScript says NaN. */
  pow: binary((r) => {
    const s = suffix(r.a);
    return [
      `const bool undefined = b != b || (__builtin_fabs${s}(a) == 1 && __builtin_fabs${s}(b) == __builtin_inf${s}());`,
      `return undefined ? __builtin_nan${s}("") : __builtin_pow${s}(a, b);`,
    ];
  }),
  atomic_add: either(
    retry(
      () => 'old + v',
      () => [],
    ),
    native('__atomic_fetch_add'),
  ),
  atomic_min: retry(minimum, (r) => [`min_${r.a}`]),
  atomic_max: retry(maximum, (r) => [`max_${r.a}`]),
  atomic_and: native('__atomic_fetch_and'),
  atomic_or: native('__atomic_fetch_or'),
  atomic_xor: native('__atomic_fetch_xor'),
  atomic_exchange: retry(
    () => 'v',
    () => [],
  ),
  serial_add: plain(
    (r) => (isFloat(r.a) ? 'old + v' : `add_${r.a}(old, v)`),
    (r) => (isFloat(r.a) ? [] : [`add_${r.a}`]),
  ),
  serial_min: plain(minimum, (r) => [`min_${r.a}`]),
  serial_max: plain(maximum, (r) => [`max_${r.a}`]),
  serial_and: plain(() => 'old & v'),
  serial_or: plain(() => 'old | v'),
  serial_xor: plain(() => 'old ^ v'),
  serial_exchange: plain(() => 'v'),
  /* The comparison is of bits, so NaN equals itself and the zeros differ. */
  atomic_cas: (r) => {
    const [t, s] = [r.scalar(r.a), r.stored(r.a)];
    return text(
      [],
      `${r.local} ${t} ${r.name}(${s}* p, ${t} expected, ${t} desired) {`,
      `  ${s} old = expected, neu = desired;`,
      '  __atomic_compare_exchange(p, &old, &neu, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);',
      '  return old;  // what was there, whether it was as expected or not',
      '}',
    );
  },
  serial_cas: (r) => {
    const [t, s] = [r.scalar(r.a), r.stored(r.a)];
    return text(
      [],
      `${r.local} ${t} ${r.name}(${s}* p, ${t} expected, ${t} desired) {`,
      `  const ${s} old = *p, same = expected;`,
      `  if (__builtin_memcmp(&old, &same, sizeof old) == 0) *p = desired;`,
      '  return old;',
      '}',
    );
  },
};

const untyped: Readonly<Record<string, readonly string[]>> = {
  trip_count: [
    'LOCAL long long trip_count(long long from, long long to, long long step, int* status) {',
    '  if (step <= 0) {',
    `    __atomic_store_n(status, ${statusCodes.step}, __ATOMIC_RELAXED);`,
    '    return 0;',
    '  }',
    '  if (from >= to) return 0;',
    '  return (long long)(((unsigned long long)to - (unsigned long long)from - 1) / (unsigned long long)step + 1);',
    '}',
  ],
  unknown_zero: [
    'LOCAL long long unknown_zero() {',
    '  long long zero = 0;',
    '  __asm__("" : "+r"(zero));',
    '  return zero;',
    '}',
  ],
  in_bounds: [
    'LOCAL long long in_bounds(long long index, long long length, int* status) {',
    '  if (index >= 0 && index < length) return index;',
    `  __atomic_store_n(status, ${statusCodes.bounds}, __ATOMIC_RELAXED);`,
    '  return 0;',
    '}',
  ],
};
