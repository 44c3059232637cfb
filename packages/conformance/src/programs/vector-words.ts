import {
  type Builder,
  type Predicate,
  type ScalarType,
  type Value,
  buildKernel,
  declareBuffer,
  isFloat,
  makeModule,
} from '@filigree/ir';
import type { Program } from '../program.js';
import { arrayOf, edgePairs } from '../values.js';

/**
 * Words of 32 bits and floats on lanes, put together from scalars and taken apart again, as where several numbers are stored in a few bits each: between the
 * two everything stays on lanes, integers, floats and truth values.
 */
export const vectorWordPrograms = (): readonly Program[] =>
  (['f32', 'f64', 'i32', 'u32'] as const).flatMap((t) => [2, 4, 8].map((lanes) => wordsOf(t, lanes)));

type Word = 'f32' | 'f64' | 'i32' | 'u32';

const wordsOf = (t: Word, lanes: number): Program => {
  const [all, others] = edgePairs(t);
  const length = Math.floor(all.length / lanes) * lanes;
  const results = resultsOf(t);
  const buffers = [
    declareBuffer('x', t, length, 'input'),
    declareBuffer('y', t, length, 'input'),
    ...results.map(({ name, type }) => declareBuffer(name, type, length, 'output')),
  ];
  const kernel = buildKernel(
    'words',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(length / lanes), b.i32(1), {}, [], (k) => {
        const at = Array.from({ length: lanes }, (_, lane) => b.add(b.mul(k, b.i32(lanes)), b.i32(lane)));
        const vector = (buffer: string): Value => {
          const [first, ...rest] = at.map((index) => b.load(buffer, index));
          return rest.reduce((whole, v, n) => b.insert(whole, v, n + 1), b.splat(first!, lanes));
        };
        const [x, y] = [vector('x'), vector('y')];
        for (const { name, of } of results) {
          const result = of(b, x, y);
          at.forEach((index, lane) => b.store(name, b.extract(result, lane), index));
        }
      });
    },
    buffers,
  );
  return {
    name: `words of ${lanes} ${t}`,
    module: makeModule('m', buffers, [kernel]),
    ordered: isFloat(t),
    inputs: { x: arrayOf(t, length, (k) => all[k]!), y: arrayOf(t, length, (k) => others[k]!) },
  };
};

/** What is computed of two vectors. */
interface Result {
  readonly name: string;
  readonly type: ScalarType;
  readonly of: (b: Builder, x: Value, y: Value) => Value;
}

const resultsOf = (t: Word): readonly Result[] => {
  const compared = (['lt', 'le', 'gt', 'ge', 'eq', 'ne'] as const).flatMap((p: Predicate): readonly Result[] => [
    { name: p, type: 'i1', of: (b, x, y) => b.cmp(p, x, y) },
    { name: `by_${p}`, type: t, of: (b, x, y) => b.select(b.cmp(p, x, y), y, x) },
  ]);
  const truths: Result = {
    name: 'truths',
    type: t,
    of: (b, x, y) => {
      const [less, same] = [b.cmp('lt', x, y), b.cmp('eq', x, y)];
      return b.select(b.or(b.and(less, b.not(same)), b.xor(same, b.cmp('gt', x, y))), x, y);
    },
  };
  /* Lanes that end one after the other: counts and truth values go round the loop. */
  const steps: Result = {
    name: 'steps',
    type: 'i32',
    of: (b, x, y) => {
      const lanes = b.lanes(x);
      const [none, one, few] = [0, 1, 5].map((n) => b.splat(b.i32(n), lanes)) as [Value, Value, Value];
      const [count] = b.while(
        [none, x, b.splat(b.bool(true), lanes)],
        ([n, u, on]) => {
          const goesOn = b.and(on!, b.and(b.cmp('lt', n!, few), b.cmp('lt', u!, y)));
          return [b.reduce('or', goesOn), n!, u!, goesOn];
        },
        ([n, u, on]) => [b.select(on!, b.add(n!, one), n!), b.select(on!, b.add(u!, like(b, u!, 3)), u!), on!],
      );
      return count!;
    },
  };
  return [...compared, truths, steps, ...(t === 'f32' || t === 'f64' ? floats(t) : integers(t))];
};

const like = (b: Builder, x: Value, value: number): Value => b.constant(value, x.type);

const bits: readonly Result[] = [
  { name: 'bits', type: 'u32', of: (b, x) => b.bitcast(x, 'u32') },
  { name: 'signed_bits', type: 'i32', of: (b, x) => b.bitcast(x, 'i32') },
];

const floats = (t: 'f32' | 'f64'): readonly Result[] => [
  { name: 'least', type: t, of: (b, x, y) => b.min(x, y) },
  { name: 'most', type: t, of: (b, x, y) => b.max(x, y) },
  { name: 'below', type: t, of: (b, x) => b.min(x, like(b, x, 1.5)) },
  { name: 'above', type: t, of: (b, x) => b.max(like(b, x, -2), x) },
  ...(t === 'f32' ? bits : []),
  /* Whole numbers beside floats: where these are wider there are as many of them. */
  {
    name: 'counted',
    type: t,
    of: (b, x, y) => {
      const [one, two] = [1, 2].map((n) => b.splat(b.i32(n), b.lanes(x))) as [Value, Value];
      const count = b.select(b.cmp('lt', x, y), b.add(one, two), two);
      return b.select(b.cmp('eq', count, two), x, b.cast(count, t));
    },
  },
  { name: 'cut', type: 'i32', of: (b, x) => b.cast(x, 'i32') },
  {
    name: 'whole',
    type: 'i32',
    of: (b, x) => {
      const fits = b.select(b.cmp('lt', x, like(b, x, 2 ** 31)), x, like(b, x, 0));
      const both = b.select(b.cmp('ge', fits, like(b, x, -(2 ** 31))), fits, like(b, x, 0));
      return b.value('arith.cast', [both], { to: 'i32', fits: true });
    },
  },
];

const integers = (t: 'i32' | 'u32'): readonly Result[] => [
  ...(['add', 'sub', 'mul', 'min', 'max', 'and', 'or', 'xor'] as const).map((name): Result => ({
    name: `do_${name}`,
    type: t,
    of: (b, x, y) => b[name](x, y),
  })),
  { name: 'negative', type: t, of: (b, x) => b.neg(x) },
  { name: 'others', type: t, of: (b, x) => b.not(x) },
  { name: 'up', type: t, of: (b, x) => b.shl(x, like(b, x, 5)) },
  { name: 'down', type: t, of: (b, x) => b.shr(x, like(b, x, 5)) },
  { name: 'up_by', type: t, of: (b, x, y) => b.shl(x, y) },
  { name: 'down_by', type: t, of: (b, x, y) => b.shr(x, y) },
  { name: 'as_float', type: 'f32', of: (b, x) => b.cast(x, 'f32') },
  { name: 'as_other', type: t === 'i32' ? 'u32' : 'i32', of: (b, x) => b.cast(x, t === 'i32' ? 'u32' : 'i32') },
  { name: 'as_bits', type: 'f32', of: (b, x) => b.bitcast(b.and(x, like(b, x, 0x3fffffff)), 'f32') },
  { name: 'carried', type: t, of: (b, x, y) => b.xor(b.add(b.shl(x, like(b, x, 3)), y), b.mul(y, y)) },
];
