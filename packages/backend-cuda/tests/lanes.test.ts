import { cuda } from '@filigree/backend-cuda';
import { type Builder, type Value, buildKernel, declareBuffer, makeModule, orThrow } from '@filigree/ir';
import { expect, it } from 'vitest';

const buffers = [declareBuffer('x', 'f64', 640, 'inout'), declareBuffer('n', 'i32', 10, 'inout')];

/** The text of a parallel loop over ten rows, of which this is the body. */
const textOf = (body: (b: Builder, row: Value) => void): string => {
  const kernel = buildKernel(
    'k',
    {},
    (b) => void b.for(b.i32(0), b.i32(10), b.i32(1), { parallel: true }, [], (row) => body(b, row)),
    buffers,
  );
  const backend = cuda();
  const legal = orThrow(backend.legalize.run(makeModule('m', buffers, [kernel])));
  return String(orThrow(backend.emit.run(legal)).files[0]!.contents);
};

const lanes = (b: Builder, row: Value, count = 64): void =>
  void b.for(b.i32(0), b.i32(count), b.i32(1), { simd: true }, [], (k) => {
    const at = b.add(b.mul(row, b.i32(64)), k);
    b.store('x', b.mul(b.load('x', at), b.f64(2)), at);
  });

const divided = /for \(unsigned trip\w* = threadIdx\.x;/;

it('divides loops that ask for lanes among a team', () => {
  expect(textOf((b, row) => lanes(b, row))).toMatch(divided);
});

it('leaves short ones, and those beside work that all threads would do again, to one thread', () => {
  expect(textOf((b, row) => lanes(b, row, 8))).not.toMatch(divided);
  const serial = textOf((b, row) => {
    b.for(b.i32(0), row, b.i32(1), {}, [], (k) => b.store('n', k, row));
    lanes(b, row);
  });
  expect(serial).not.toMatch(divided);
});

it('leaves them to one thread where some of a team could see what another team has changed, and the rest not', () => {
  const where = (change: boolean): string =>
    textOf((b, row) => {
      const next = b.rem(b.add(row, b.i32(1)), b.i32(10));
      b.if(b.cmp('gt', b.load('n', next), b.i32(0)), () => lanes(b, row));
      if (change) b.store('n', row, row);
    });
  expect(where(false)).toMatch(divided);
  expect(where(true)).not.toMatch(divided);
});

it('has threads of a team wait for one another where one could see what another changes, and nowhere else', () => {
  const waits = (body: (b: Builder, row: Value) => void): boolean => textOf(body).includes('__syncthreads');
  const guarded = (b: Builder, row: Value): void =>
    void b.if(b.cmp('gt', b.load('n', row), b.i32(0)), () => lanes(b, row));
  expect(waits((b, row) => lanes(b, row))).toBe(false);
  expect(waits(guarded)).toBe(false);
  /* Of two loops the second reads what the first wrote; and the first of a row may be read before a loop changes it. */
  expect(waits((b, row) => [0, 1].forEach(() => lanes(b, row)))).toBe(true);
  expect(
    waits((b, row) => {
      const first = b.load('x', b.mul(row, b.i32(64)));
      b.for(b.i32(0), b.i32(64), b.i32(1), { team: true }, [], (k) =>
        b.store('x', b.mul(first, b.cast(k, 'f64')), b.add(b.mul(row, b.i32(64)), k)),
      );
    }),
  ).toBe(true);
});
