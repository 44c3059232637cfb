import { cuda } from '@filigree/backend-cuda';
import { type Builder, type Value, buildKernel, declareBuffer, makeModule, orThrow, walk } from '@filigree/ir';
import { expect, it } from 'vitest';

const buffers = [
  declareBuffer('n', 'i32', 10, 'inout'),
  declareBuffer('small', 'u16', 10, 'inout'),
  declareBuffer('x', 'f64', 10, 'inout'),
  declareBuffer('own', 'f64', 2, 'scratch'),
];

/** How the atomics in the body of a parallel loop are done: one by one, or by threads in step as one. */
const ways = (body: (b: Builder, i: Value) => void, parallel = true): readonly string[] => {
  const kernel = buildKernel(
    'k',
    {},
    (b) => void b.for(b.i32(0), b.i32(10), b.i32(1), { parallel }, [], (i) => body(b, i)),
    buffers,
  );
  const legal = orThrow(cuda().legalize.run(makeModule('m', buffers, [kernel])));
  const found: string[] = [];
  let before: string[] = [];
  for (const k of legal.kernels)
    walk(k.body, (op) => {
      if (/^gpu|while/.test(op.name)) before.push(op.name);
      if (op.name !== 'mem.atomic') return;
      found.push(wayOf(before));
      before = [];
    });
  return found;
};

/** Told from what stands before the update. */
const wayOf = (names: readonly string[]): string => {
  if (names.length === 0) return 'alone';
  if (names.includes('gpu.ballot')) return 'peers';
  return ['count', 'scan', 'fold'][names.filter((n) => n === 'scf.while').length]!;
};

const keep = (b: Builder, v: Value, i: Value): void => b.store(v.type === 'f64' ? 'x' : 'n', v, i);

it('counts for threads in step what all of a loop add to one element', () => {
  expect(ways((b, i) => keep(b, b.atomic('n', 'add', b.i32(2), b.i32(3)), i))).toEqual(['count']);
  expect(ways((b, i) => keep(b, b.atomic('n', 'add', i, b.i32(3)), i))).toEqual(['scan']);
  expect(ways((b, i) => void b.atomic('x', 'max', b.cast(i, 'f64'), b.i32(3)))).toEqual(['fold']);
});

it('has each thread do what only it does, what the first finds is not what the next finds, or is no word', () => {
  expect(ways((b, i) => void b.atomic('n', 'add', b.i32(2), i))).toEqual(['alone']);
  expect(ways((b, i) => keep(b, b.atomic('n', 'max', i, b.i32(3)), i))).toEqual(['alone']);
  expect(ways((b, i) => keep(b, b.atomic('x', 'add', b.cast(i, 'f64'), b.i32(3)), i))).toEqual(['alone']);
  expect(ways((b, i) => void b.atomic('small', 'add', b.cast(i, 'u16'), b.i32(3)))).toEqual(['alone']);
});

it('lets those find each other that add as much to one of few elements, where it is said that there are many', () => {
  const attrs = { buffer: '@n', kind: 'add', together: 'many' };
  const add = (b: Builder, v: Value, i: Value): Value => b.value('mem.atomic', [v, b.rem(i, b.i32(2))], attrs);
  expect(ways((b, i) => keep(b, add(b, b.i32(1), i), i))).toEqual(['peers']);
  expect(ways((b, i) => keep(b, add(b, i, i), i))).toEqual(['alone']);
});

it('does nothing together where nobody else is', () => {
  const update = (b: Builder, i: Value): void => void b.atomic('x', 'add', b.cast(i, 'f64'), b.i32(3));
  expect(ways(update, false)).toEqual(['alone']);
  expect(ways((b, i) => void b.atomic('own', 'add', b.cast(i, 'f64'), b.i32(1)))).toEqual(['alone']);
});

it('does together what a team shares', () => {
  const sums = ways((b, i) => {
    b.for(b.i32(0), b.i32(64), b.i32(1), { team: true }, [], (k) => {
      b.atomic('own', 'add', b.cast(k, 'f64'), b.i32(1));
      b.atomic('own', 'add', b.cast(k, 'f64'), b.rem(k, b.i32(2)));
    });
    keep(b, b.load('own', b.i32(1)), i);
  });
  expect(sums).toEqual(['fold', 'alone']);
});
