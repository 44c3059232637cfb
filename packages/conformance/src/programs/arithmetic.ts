import {
  type Builder,
  type Predicate,
  type ScalarType,
  type Value,
  buildKernel,
  byteSize,
  declareBuffer,
  isFloat,
  makeModule,
  scalarTypes,
} from '@filigree/ir';
import type { Program } from '../program.js';
import { arrayOf, edgePairs, edgeValues, edges, randomArray } from '../values.js';
import { type Output, elementwise } from './elementwise.js';

/** Every op of `arith` on scalars of every type, over all pairs of edge values. */
export const arithmeticPrograms = (): readonly Program[] => [
  ...numberTypes.map(arithmetic),
  ...numberTypes.map(grouping),
  ...integerTypes.map(division),
  ...integerTypes.map(shifts),
  ...numberTypes.map(constants),
  truth(),
  ...scalarTypes.map(casts),
  narrowed(),
  ...(['f32', 'f64'] as const).map(boundedCasts),
  ...(['f32', 'f64'] as const).map(zeroMinus),
  bitcasts(),
  ...(['f32', 'f64'] as const).map(complexProducts),
];

/** Of complex numbers, whose parts are a difference and a sum of products: each is rounded, as nothing is contracted. */
const complexProducts = (t: 'f32' | 'f64'): Program => {
  const count = 64;
  const names = ['x', 'y', 'z', 'negated'];
  const buffers = names.map((name, k) => declareBuffer(name, t, 2 * count, k < 2 ? 'input' : 'output'));
  const kernel = buildKernel(
    'own',
    {},
    (b) =>
      b.for(b.i32(0), b.i32(count), b.i32(1), { parallel: true }, [], (i) => {
        const at = [b.mul(i, b.i32(2)), b.add(b.mul(i, b.i32(2)), b.i32(1))];
        const [[xr, xi], [yr, yi]] = ['x', 'y'].map((name) => at.map((k) => b.load(name, k))) as [Value[], Value[]];
        const imaginary = b.add(b.mul(xr!, yi!), b.mul(xi!, yr!));
        const squares = b.mul(xi!, yi!);
        const parts: readonly (readonly [string, Value])[] = [
          ['z', b.sub(b.mul(xr!, yr!), squares)],
          ['negated', b.add(b.mul(xr!, yr!), b.value('arith.neg', [squares]))],
        ];
        for (const [name, real] of parts) {
          b.store(name, real, at[0]!);
          b.store(name, imaginary, at[1]!);
        }
      }),
    buffers,
  );
  return {
    name: `products of complex numbers of ${t}`,
    module: makeModule('m', buffers, [kernel]),
    inputs: { x: randomArray(t, 2 * count, 5), y: randomArray(t, 2 * count, 6) },
    ordered: true,
  };
};

const numberTypes = scalarTypes.filter((t) => t !== 'i1');
const integerTypes = numberTypes.filter((t) => !isFloat(t));

const two =
  (name: 'add' | 'sub' | 'mul' | 'div' | 'rem' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'shl' | 'shr') =>
  (b: Builder, [x, y]: readonly Value[]): Value =>
    b[name](x!, y!);

const compare =
  (predicate: Predicate) =>
  (b: Builder, [x, y]: readonly Value[]): Value =>
    b.cmp(predicate, x!, y!);

const predicates: readonly Predicate[] = ['lt', 'le', 'gt', 'ge', 'eq', 'ne'];

const arithmetic = (t: ScalarType): Program => {
  const [x, y] = edgePairs(t);
  const outputs: Output[] = [
    ...(['add', 'sub', 'mul', 'min', 'max'] as const).map((n): Output => [n, t, two(n)]),
    ...(isFloat(t) ? (['div', 'rem'] as const) : (['and', 'or', 'xor'] as const)).map((n): Output => [n, t, two(n)]),
    ['neg', t, (b, [a]) => b.neg(a!)],
    ['minus', t, (b, [a, c]) => b.add(a!, b.neg(c!))],
    ['minus_mirrored', t, (b, [a, c]) => b.add(b.neg(a!), c!)],
    ...predicates.map((p): Output => [p, 'i1', compare(p)]),
    ['select', t, (b, [a, c]) => b.select(b.cmp('lt', a!, c!), a!, b.add(c!, c!))],
    ...(isFloat(t) ? [] : [['not', t, (b, [a]) => b.not(a!)] satisfies Output]),
  ];
  return elementwise(
    `arith on ${t}`,
    [
      ['x', t, x],
      ['y', t, y],
    ],
    outputs,
  );
};

/* Nothing may be reassociated, distributed or contracted. */
const grouping = (t: ScalarType): Program => {
  const [x, y] = edgePairs(t);
  return elementwise(
    `grouping of sums and products on ${t}`,
    [
      ['x', t, x],
      ['y', t, y],
    ],
    [
      ['to_the_left', t, (b, [a, c]) => b.sub(b.sub(a!, c!), a!)],
      ['to_the_right', t, (b, [a, c]) => b.sub(a!, b.sub(c!, a!))],
      ['sum_below', t, (b, [a, c]) => b.sub(a!, b.add(c!, a!))],
      ['product_of_sums', t, (b, [a, c]) => b.mul(b.sub(a!, c!), b.add(a!, c!))],
      ['sum_of_products', t, (b, [a, c]) => b.add(b.mul(a!, c!), b.mul(c!, b.neg(b.add(a!, c!))))],
      ['negated_sum', t, (b, [a, c]) => b.neg(b.add(b.neg(a!), b.neg(c!)))],
    ],
    { ordered: isFloat(t) },
  );
};

/* Pairs without a zero divisor, the most negative number by -1 included. */
const division = (t: ScalarType): Program => {
  const [x, y] = edgePairs(t);
  const nonZero = arrayOf(t, y.length, (k) => (Number(y[k]) === 0 ? 5 : y[k]!));
  return elementwise(
    `integer division on ${t}`,
    [
      ['x', t, x],
      ['y', t, nonZero],
    ],
    [
      ['div', t, two('div')],
      ['rem', t, two('rem')],
      ['div_by_constant', t, (b, [a]) => b.div(a!, b.constant(7, t))],
      ['rem_by_constant', t, (b, [a]) => b.rem(a!, b.constant(7, t))],
      ['div_by_itself', t, (b, [, c]) => b.div(c!, c!)],
    ],
  );
};

const shifts = (t: ScalarType): Program => {
  const values = edges(t);
  const amounts = [0, 1, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65];
  const n = values.length * amounts.length;
  const at = (k: number): number => amounts[k % amounts.length]!;
  return elementwise(
    `shifts on ${t}`,
    [
      ['x', t, arrayOf(t, n, (k) => values[Math.floor(k / amounts.length)]!)],
      ['y', t, arrayOf(t, n, at)],
    ],
    [
      ['shl', t, two('shl')],
      ['shr', t, two('shr')],
      ['shl_by_3', t, (b, [a]) => b.shl(a!, b.constant(3, t))],
      ['shr_by_5', t, (b, [a]) => b.shr(a!, b.constant(5, t))],
      /* In 64 bits an amount that no double holds. */
      ['shr_by_large', t, (b, [a]) => b.shr(a!, b.constant(large(t), t))],
    ],
  );
};

/* An odd number near the end of a type. */
const large = (t: ScalarType): number | bigint => {
  const bits = 8 * byteSize(t) - (t.startsWith('i') ? 1 : 0);
  return bits > 53 ? (1n << BigInt(bits)) - 3n : 2 ** bits - 3;
};

/* Each edge value as a constant in the code. */
const constants = (t: ScalarType): Program =>
  elementwise(
    `constants of ${t}`,
    [['x', t, edges(t)]],
    edgeValues(t).flatMap((v, k): Output[] => [
      [`constant${k}`, t, (b) => b.constant(v, t)],
      [`sum${k}`, t, (b, [x]) => b.add(x!, b.constant(v, t))],
    ]),
  );

const truth = (): Program => {
  const [x, y] = edgePairs('i1');
  return elementwise(
    'logic on i1',
    [
      ['x', 'i1', x],
      ['y', 'i1', y],
    ],
    [
      ['and', 'i1', two('and')],
      ['or', 'i1', two('or')],
      ['xor', 'i1', two('xor')],
      ['not', 'i1', (b, [a]) => b.not(a!)],
      ['eq', 'i1', compare('eq')],
      ['ne', 'i1', compare('ne')],
      ['select', 'i1', (b, [a, c]) => b.select(a!, c!, b.bool(true))],
      ['nested', 'i1', (b, [a, c]) => b.not(b.or(b.and(a!, b.not(c!)), b.xor(a!, c!)))],
    ],
  );
};

const casts = (t: ScalarType): Program =>
  elementwise(
    `casts from ${t}`,
    [['x', t, edges(t)]],
    scalarTypes.map((to): Output => [`to_${to}`, to, (b, [x]) => b.cast(x!, to)]),
  );

/** Numbers that are narrowed and widened again, at once or through memory, one by one and in a loop: they are rounded. */
const narrowed = (): Program => {
  const length = 33;
  const buffers = [
    declareBuffer('x', 'f64', length, 'input'),
    declareBuffer('narrow', 'f32', length, 'output'),
    declareBuffer('wide', 'f64', length, 'output'),
    declareBuffer('through', 'f64', length, 'output'),
  ];
  const kernel = buildKernel(
    'all',
    {},
    (b) => {
      const step = (at: Value): void => {
        b.store('wide', b.cast(b.cast(b.load('x', at), 'f32'), 'f64'), at);
      };
      const stored = (at: Value): void => b.store('narrow', b.cast(b.load('x', at), 'f32'), at);
      const loaded = (at: Value): void => b.store('through', b.cast(b.load('narrow', at), 'f64'), at);
      for (const each of [step, stored, loaded]) for (const k of [0, 1, 2]) each(b.i32(k));
      b.for(b.i32(3), b.i32(length), b.i32(1), {}, [], (i) => [step, stored, loaded].forEach((each) => each(i)));
    },
    buffers,
  );
  return {
    name: 'numbers narrowed and widened again',
    module: makeModule('m', buffers, [kernel]),
    inputs: { x: arrayOf('f64', length, (k) => k + 1 / 3) },
  };
};

/** Of what is never -0: a difference from 0 is not the negative. */
const zeroMinus = (t: 'f32' | 'f64'): Program =>
  elementwise(
    `zero minus what is never -0 on ${t}`,
    [
      ['x', t, edges(t)],
      ['n', 'i32', arrayOf('i32', edges(t).length, (k) => k - 2)],
    ],
    [
      ['zero_minus_size', t, (b, [x]) => b.sub(b.constant(0, t), b.math('abs', x!))],
      ['zero_minus_whole', t, (b, [, n]) => b.sub(b.constant(0, t), b.cast(n!, t))],
      ['zero_plus_negative', t, (b, [x]) => b.add(b.constant(0, t), b.neg(b.math('abs', x!)))],
      ['negative_plus_zero', t, (b, [, n]) => b.add(b.neg(b.cast(n!, t)), b.constant(0, t))],
    ],
  );

/** Indices from coordinates: integers from floats between two numbers, put on in either order. */
const boundedCasts = (t: 'f32' | 'f64'): Program => {
  const bounds = [
    [0, 127],
    [3, 3],
    [-2, 2],
    [2, 1],
    [1, 16777217],
    [0, 2147483647],
  ] as const;
  return elementwise(
    `casts from ${t} to what is bounded`,
    [['x', t, edges(t)]],
    bounds.flatMap(([lo, hi], n): readonly Output[] => [
      [`least_first_${n}`, 'i32', (b, [x]) => b.min(b.max(b.cast(x!, 'i32'), b.i32(lo)), b.i32(hi))],
      [`most_first_${n}`, 'i32', (b, [x]) => b.max(b.i32(lo), b.min(b.i32(hi), b.cast(x!, 'i32')))],
      [`twice_${n}`, 'i32', (b, [x]) => b.min(b.min(b.max(b.cast(x!, 'i32'), b.i32(lo)), b.i32(hi)), b.i32(1))],
    ]),
  );
};

const bitcasts = (): Program => {
  /* No NaN: its bits are not specified once it went through a register. */
  const clean = (t: ScalarType): readonly (number | bigint)[] =>
    edgeValues(t)
      .filter((v) => !Number.isNaN(v))
      .slice(0, 9);
  const column = (t: ScalarType): readonly [string, ScalarType, ReturnType<typeof edges>] => [
    t,
    t,
    arrayOf(t, 9, (k) => clean(t)[k]!),
  ];
  return elementwise(
    'bitcasts',
    [column('f64'), column('f32'), column('i64'), column('i32'), column('u8'), column('i16')],
    [
      ['f64_as_i64', 'i64', (b, x) => b.bitcast(x[0]!, 'i64')],
      ['f64_as_u64', 'u64', (b, x) => b.bitcast(x[0]!, 'u64')],
      ['f32_as_i32', 'i32', (b, x) => b.bitcast(x[1]!, 'i32')],
      ['f32_as_u32', 'u32', (b, x) => b.bitcast(x[1]!, 'u32')],
      [
        'i64_there_and_back',
        'i64',
        (b, x) => b.bitcast(b.bitcast(b.and(x[2]!, b.i64(0x3fff_ffff_ffff)), 'f64'), 'i64'),
      ],
      ['i32_there_and_back', 'i32', (b, x) => b.bitcast(b.bitcast(b.and(x[3]!, b.i32(0x3fffffff)), 'f32'), 'i32')],
      ['u8_as_i8', 'i8', (b, x) => b.bitcast(x[4]!, 'i8')],
      ['i16_as_u16', 'u16', (b, x) => b.bitcast(x[5]!, 'u16')],
    ],
  );
};
