import { cuda } from '@filigree/backend-cuda';
import { type Builder, type Value, buildKernel, declareBuffer, makeModule, orThrow } from '@filigree/ir';
import { expect, it } from 'vitest';

const buffers = [
  declareBuffer('n', 'i32', 10, 'inout'),
  declareBuffer('small', 'u16', 10, 'inout'),
  declareBuffer('x', 'f64', 10, 'inout'),
  declareBuffer('own', 'f64', 2, 'scratch'),
];

/** The helpers of atomics that the body of a parallel loop calls. */
const calls = (body: (b: Builder, i: Value) => void, parallel = true): readonly string[] => {
  const kernel = buildKernel(
    'k',
    {},
    (b) => void b.for(b.i32(0), b.i32(10), b.i32(1), { parallel }, [], (i) => body(b, i)),
    buffers,
  );
  const backend = cuda();
  const legal = orThrow(backend.legalize.run(makeModule('m', buffers, [kernel])));
  const text = String(orThrow(backend.emit.run(legal)).files[0]!.contents);
  const loop = text.slice(text.search(/^\/\/ (A share|Kernel)/m));
  return [...loop.matchAll(/\b(\w*(?:atomic|serial)_\w+)\(&/g)].map(([, name]) => name!);
};

const keep = (b: Builder, v: Value, i: Value): void => b.store(v.type === 'f64' ? 'x' : 'n', v, i);

it('counts for threads in step what all of a loop add to one element', () => {
  expect(calls((b, i) => keep(b, b.atomic('n', 'add', b.i32(2), b.i32(3)), i))).toEqual(['atomic_count_add_i32']);
  expect(calls((b, i) => keep(b, b.atomic('n', 'add', i, b.i32(3)), i))).toEqual(['atomic_scan_add_i32']);
  expect(calls((b, i) => void b.atomic('x', 'max', b.cast(i, 'f64'), b.i32(3)))).toEqual(['atomic_fold_max_f64']);
});

it('has each thread do what only it does, what the first finds is not what the next finds, or is no word', () => {
  expect(calls((b, i) => void b.atomic('n', 'add', b.i32(2), i))).toEqual(['atomic_add_i32']);
  expect(calls((b, i) => keep(b, b.atomic('n', 'max', i, b.i32(3)), i))).toEqual(['atomic_max_i32']);
  expect(calls((b, i) => keep(b, b.atomic('x', 'add', b.cast(i, 'f64'), b.i32(3)), i))).toEqual(['atomic_add_f64']);
  expect(calls((b, i) => void b.atomic('small', 'add', b.cast(i, 'u16'), b.i32(3)))).toEqual(['atomic_add_u16']);
});

it('lets those find each other that add as much to one of few elements, where it is said that there are many', () => {
  const attrs = { buffer: '@n', kind: 'add', together: 'many' };
  const add = (b: Builder, v: Value, i: Value): Value => b.value('mem.atomic', [v, b.rem(i, b.i32(2))], attrs);
  expect(calls((b, i) => keep(b, add(b, b.i32(1), i), i))).toEqual(['atomic_peers_count_add_i32']);
  expect(calls((b, i) => keep(b, add(b, i, i), i))).toEqual(['atomic_add_i32']);
});

it('does nothing together where nobody else is', () => {
  const update = (b: Builder, i: Value): void => void b.atomic('x', 'add', b.cast(i, 'f64'), b.i32(3));
  expect(calls(update, false)).toEqual(['serial_add_f64']);
  expect(calls((b, i) => void b.atomic('own', 'add', b.cast(i, 'f64'), b.i32(1)))).toEqual(['serial_add_f64']);
});

it('does together what a team shares', () => {
  const sums = calls((b, i) => {
    b.for(b.i32(0), b.i32(64), b.i32(1), { team: true }, [], (k) => {
      b.atomic('own', 'add', b.cast(k, 'f64'), b.i32(1));
      b.atomic('own', 'add', b.cast(k, 'f64'), b.rem(k, b.i32(2)));
    });
    keep(b, b.load('own', b.i32(1)), i);
  });
  expect(sums).toEqual(['atomic_fold_add_f64', 'atomic_add_f64']);
});
