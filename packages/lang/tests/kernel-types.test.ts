import { array, type ArrayDecl, type KernelArg } from '@filigree/lang';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { define, fromText, run } from './kernel-run.js';

/*
 * Random expressions over all types, held against their value as docs/numbers.md says it, in BigInt. Every expression is text, and
 * the type and value that it has in each of the iterations.
 */
type Integer = 'i32' | 'u32' | 'i64' | 'u64';
type Narrow = 'i8' | 'i16' | 'u8' | 'u16';
type Type = Integer | Narrow | 'f64';

interface Expr {
  readonly text: string;
  readonly type: Type;
  readonly values: readonly (bigint | number)[];
}

const N = 8;
const bits = (t: Type): number => (t === 'f64' ? 64 : Number(t.slice(1)));
const wrap = (t: Type, x: bigint): bigint => (t.startsWith('u') ? BigInt.asUintN : BigInt.asIntN)(bits(t), x);

const cast = (to: Type, x: bigint | number): bigint | number => {
  if (to === 'f64') return Number(x);
  if (typeof x === 'bigint') return wrap(to, x);
  if (Number.isNaN(x)) return 0n;
  const least = to.startsWith('u') ? 0n : -(2n ** BigInt(bits(to) - 1));
  const most = least + 2n ** BigInt(bits(to)) - 1n;
  return x <= Number(least) ? least : x >= Number(most) ? most : BigInt(Math.trunc(x));
};

const integers: readonly Integer[] = ['i32', 'u32', 'i64', 'u64'];
const tables = {
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i64: BigInt64Array,
  u64: BigUint64Array,
  f64: Float64Array,
} as const;

/** A table of each type: ends of its range, and numbers between. */
const values = Object.fromEntries(
  Object.keys(tables).map((key) => {
    const t = key as Type;
    if (t === 'f64') return [t, [-1.5, 0.25, 3, 1e9, -2147483649.5, 4294967296, 7e18, 0.5]];
    return [
      t,
      [0n, 1n, -1n, 5n, 2n ** 63n, 0x9e3779b97f4a7c15n, 0xdeadbeefn, 1n << BigInt(bits(t) - 2)].map((x) => wrap(t, x)),
    ];
  }),
) as unknown as Readonly<Record<Type, readonly (bigint | number)[]>>;

const scope = Object.fromEntries(
  Object.entries(tables).map(([t, Array]) => {
    const own = values[t as Type];
    const whole = bits(t as Type) === 64 && t !== 'f64';
    return [`T_${t}`, (Array as { from(x: readonly unknown[]): unknown }).from(whole ? own : own.map(Number))];
  }),
);

const table = (t: Type): Expr => ({ text: `T_${t}[k]`, type: t, values: values[t] });
const narrow = (t: Type): t is Narrow => t !== 'f64' && bits(t) < 32;
const promoted = (t: Type): Type => (narrow(t) ? 'i32' : t);

const pair = (a: Expr, b: Expr, type: Type, op: string, f: (x: bigint, y: bigint) => bigint): Expr => ({
  text: op.length > 3 ? `${op}(${a.text}, ${b.text})` : `(${a.text} ${op} ${b.text})`,
  type,
  values: a.values.map((x, k) => wrap(type, f(x as bigint, b.values[k] as bigint))),
});

type Operation = readonly [string, (x: bigint, y: bigint) => bigint];

const sums: readonly Operation[] = [
  ['+', (x, y) => x + y],
  ['-', (x, y) => x - y],
  ['*', (x, y) => x * y],
  ['Math.min', (x, y) => (x < y ? x : y)],
  ['Math.max', (x, y) => (x > y ? x : y)],
];

/** Of 32 bits they are signed, as in JavaScript, whatever their operands. */
const ofBits: readonly Operation[] = [
  ['&', (x, y) => x & y],
  ['|', (x, y) => x | y],
  ['^', (x, y) => x ^ y],
];

const arithmetic = [...sums, ...ofBits];

/** Unsigned integers of the width of a type. */
const unsigned = (t: Type): Type => (bits(t) === 64 ? 'u64' : 'u32');

const depthOf = (type: Type, depth: number): fc.Arbitrary<Expr> => {
  const leaf: fc.Arbitrary<Expr> = fc.constant(table(type));
  if (depth === 0 || narrow(type)) return leaf;
  const inner = (t: Type): fc.Arbitrary<Expr> => depthOf(t, depth - 1);
  const any = fc.constantFrom<Type>('i8', 'i16', 'u8', 'u16', 'f64', ...integers).chain(inner);
  const casts = any.map((a): Expr => ({
    text: `${type}(${a.text})`,
    type,
    values: a.values.map((x) => cast(type, x)),
  }));
  if (type === 'f64') {
    const literal = fc
      /* These kernels stand in no file, so that an exponent alone makes no float. */
      .constantFrom('2.0', '1.0e9', '0.5', '3')
      .map((text): Expr => ({ text, type, values: values.f64.map(() => Number(text)) }));
    return fc.oneof(
      leaf,
      casts,
      fc
        .tuple(
          fc.oneof(inner('i32'), inner('u32'), inner('f64')),
          fc.constantFrom('+', '*', '-'),
          fc.oneof(inner('f64'), literal),
        )
        .filter(([a, , b]) => a.type === 'f64' || b.text !== '3')
        .map(([a, op, b]): Expr => ({
          text: `(${a.text} ${op} ${b.text})`,
          type,
          values: a.values.map((v, k) => {
            const [x, y] = [Number(v), Number(b.values[k])];
            return op === '+' ? x + y : op === '-' ? x - y : x * y;
          }),
        })),
    );
  }
  /* A literal that the type holds takes it. */
  const literal = fc
    .constantFrom(...(type.startsWith('u') ? [0n, 1n, 7n, 2147483648n, 0xdeadbeefn] : [0n, 1n, -7n, 2147483647n]))
    .map((x): Expr => ({ text: x < 0n ? `(${x})` : String(x), type, values: values[type].map(() => x) }));
  const same = fc.oneof({ weight: 3, arbitrary: inner(type) }, { weight: 2, arbitrary: literal });
  const amount = fc.oneof(
    fc.integer({ min: 0, max: 63 }).map((n) => [String(n), () => n] as const),
    fc.constant(['k', (k: number) => k] as const),
    fc.constant(['u32(k)', (k: number) => k] as const),
  );
  const width = BigInt(bits(type));
  const signed: Type = type === 'u32' ? 'i32' : type;
  const shift = (from: Type, op: string): fc.Arbitrary<Expr> =>
    fc.tuple(inner(from), amount).map(([a, [text, by]]): Expr => {
      const values = a.values.map((x, k) => {
        const n = BigInt(by(k)) % width;
        /* Other bits of 32 are signed, as in JavaScript. */
        const bitsOf = wrap(op === '>>>' ? type : signed, x as bigint);
        return wrap(type, op === '<<' ? bitsOf << n : bitsOf >> n);
      });
      /* What fits i32 takes the type of what it meets. */
      const isOf = from === type && (type !== 'u32' || op === '>>>');
      return { text: isOf ? `(${a.text} ${op} ${text})` : `${type}(${a.text} ${op} ${text})`, type, values };
    });
  return fc.oneof(
    leaf,
    casts,
    fc
      .tuple(inner(type), fc.constantFrom(...(type === 'u32' ? sums : arithmetic)), same)
      .map(([a, [op, f], b]) => pair(a, b, type, op, f)),
    shift(type, '<<'),
    shift(type, '>>'),
    ...(type === unsigned(type) ? [shift(type, '>>>'), shift(type === 'u32' ? 'i32' : 'i64', '>>>')] : []),
    fc.tuple(inner(type), same, inner(type), inner(type)).map(([a, b, c, d]): Expr => ({
      text: `(${a.text} < ${b.text} ? ${c.text} : ${d.text})`,
      type,
      values: c.values.map((x, k) => (a.values[k] < b.values[k] ? x : d.values[k])),
    })),
    ...(type === 'i32'
      ? [
          fc
            .tuple(inner('u32'), fc.constantFrom(...ofBits), fc.oneof(inner('u32'), inner('i32')))
            .map(([a, [op, f], b]) => pair(a, b, type, op, f)),
          inner('u32').map((a): Expr => ({
            text: `(~${a.text})`,
            type,
            values: a.values.map((x) => wrap(type, ~(x as bigint))),
          })),
          fc
            .tuple(
              fc.constantFrom<Type>('i8', 'i16', 'u8', 'u16'),
              fc.constantFrom<Type>('i8', 'i16', 'u8', 'u16'),
              fc.constantFrom(...arithmetic.slice(0, 3)),
            )
            .filter(([a, b]) => promoted(a) === promoted(b))
            .map(([a, b, [op, f]]) => pair(table(a), table(b), type, op, f)),
        ]
      : []),
    fc.integer({ min: 1, max: 1000 }).chain((by) =>
      inner(type).map((a): Expr => ({
        text: `idiv(${a.text}, ${by})`,
        type,
        values: a.values.map((x) => (x as bigint) / BigInt(by)),
      })),
    ),
  );
};

it('expressions of every type have the value that their types say', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<Type>('f64', ...integers).chain((t) => depthOf(t, 4)),
      fc.boolean(),
      (e, variable) => {
        const parts = e.type === 'f64' ? `o[k] = x;` : `o[k] = f64(x); o[k + ${N}] = f64(u32(x));`;
        const text = `(o) => { for (const k of range(${N})) { ${variable ? 'let' : 'const'} x = ${e.text}; ${parts} } }`;
        const out = new Float64Array(2 * N);
        run(define([array('f64', 2 * N)], fromText(text), { float: 'f64', scope }), [out]);
        const expected = [
          ...e.values.map(Number),
          ...e.values.map((x) => (e.type === 'f64' ? 0 : Number(wrap('u32', x as bigint)))),
        ];
        expect([text, ...out]).toEqual([text, ...expected]);
      },
    ),
    { numRuns: 200 },
  );
});

it('floats that meet none whose type is stated are f64 where the arguments of floats are all f64', () => {
  /* 123456789 has more bits than an f32 holds, which rounds it to 123456792. */
  const text = '(o, k) => { for (const n of range(1)) k[0] = i32(Math.round((n + 0.123456789) * 1e9)); }';
  const whole = (args: readonly KernelArg[], float?: 'f32' | 'f64'): number => {
    const k = new Int32Array(1);
    const given = args.map((arg) => (arg === 'f32' ? 0 : (arg as ArrayDecl).type === 'i32' ? k : new Float64Array(1)));
    run(define(args, fromText(text), { scope, ...(float && { float }) }), given);
    return k[0];
  };
  const [doubles, words] = [array('f64', 1), array('i32', 1)];
  expect(whole([doubles, words])).toBe(123456789);
  expect(whole([doubles, words], 'f32')).toBe(123456792);
  expect(whole([doubles, words, 'f32'])).toBe(123456792);
  expect(whole([array('i32', 1), words])).toBe(123456792);
  expect(whole([array('i32', 1), words], 'f64')).toBe(123456789);
});
