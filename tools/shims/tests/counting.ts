import { type Module, buildKernel, declareBuffer, makeModule } from '@filigree/ir';

/* On any processor many times the limit that tests set, and no minute: whose thread runs it is there for as long as the process, and others want the processor. */
const LONG = 1 << 28;

/** `add` counts `length` numbers up; `long` makes random numbers of the first of them, for so long that a host with a limit gives it up. */
export const counting = (length = 8): Module => {
  const buffers = [declareBuffer('x', 'i32', length, 'inout')];
  const add = buildKernel(
    'add',
    {},
    (b) =>
      void b.for(b.i32(0), b.i32(length), b.i32(1), { parallel: true }, [], (i) =>
        b.store('x', b.add(b.load('x', i), b.i32(1)), i),
      ),
    buffers,
  );
  const long = buildKernel(
    'long',
    {},
    (b) =>
      void b.for(b.i32(0), b.i32(LONG), b.i32(1), {}, [], (i) => {
        b.store('x', b.add(b.mul(b.load('x', b.i32(0)), b.i32(1664525)), i), b.i32(0));
        return [];
      }),
    buffers,
  );
  return makeModule('m', buffers, [add, long]);
};
