import { buildKernel, declareBuffer, makeModule, type Buffer, type Builder, type Value } from '@filigree/ir';
import type { Launch, Program } from '../program.js';

/** Parallel loops within branches and serial loops: what runs on many threads, how often, and what goes from one such loop to the next. */
export const stepPrograms = (): readonly Program[] => [
  branches(),
  nestedBranches(),
  sweeps(),
  sweepsKnownToTheDevice(),
  sweepsWithoutBound(),
  sweepsUntilDone(),
  branchesOfSweeps(),
];

const N = 300;

const buffers: readonly Buffer[] = [
  declareBuffer('x', 'f64', N, 'inout'),
  declareBuffer('y', 'f64', N, 'inout'),
  declareBuffer('n', 'i32', 4, 'inout'),
];

const inputs: Program['inputs'] = {
  x: Float64Array.from({ length: N }, (_, k) => ((k * 29) % 64) - 20),
  n: Int32Array.of(3, 7, 2, 0),
};

const stepProgram = (
  name: string,
  body: (b: Builder, a: Value) => void,
  args: readonly number[],
  ulps = 0,
): Program => {
  const kernel = buildKernel('steps', { a: 'i32' }, (b, { a }) => body(b, a), buffers);
  const launches = args.map((a): Launch => ({ kernel: 'steps', args: [a] }));
  return { name, module: makeModule(name.replace(/\W+/g, '_'), buffers, [kernel]), inputs, launches, ulps };
};

const all = (b: Builder, body: (i: Value) => void, count: Value = b.i32(N)): void =>
  void b.for(b.i32(0), count, b.i32(1), { parallel: true }, [], body);

/** Each element from its neighbours, into the other buffer and back, times what is carried. */
const sweep = (b: Builder, scale: Value): void => {
  const from = (source: string, into: string): void =>
    all(b, (i) => {
      const [left, right] = [b.max(b.sub(i, b.i32(1)), b.i32(0)), b.min(b.add(i, b.i32(1)), b.i32(N - 1))];
      b.store(into, b.mul(b.sub(b.load(source, left), b.load(source, right)), scale), i);
    });
  from('x', 'y');
  from('y', 'x');
};

/** Either side has a loop, and something before and after it; the results of the branch depend on which it was. */
const branches = (): Program =>
  stepProgram(
    'parallel loops in both sides of a branch',
    (b, a) => {
      const [r] = b.if(
        b.cmp('gt', a, b.i32(0)),
        () => {
          const first = b.load('x', a);
          b.store('x', b.add(first, b.f64(1)), b.i32(0));
          all(b, (i) => b.store('y', b.mul(b.load('x', i), first), i), b.mul(a, b.i32(8)));
          return b.add(b.load('y', b.i32(1)), first);
        },
        () => {
          all(b, (i) => b.store('x', b.cast(b.sub(i, a), 'f64'), i));
          return b.load('x', b.i32(N - 1));
        },
      );
      all(b, (i) => b.store('y', b.add(b.load('y', i), r!), i));
    },
    [5, -2, 0, 11],
  );

/** The loops change what the conditions were read from. */
const nestedBranches = (): Program =>
  stepProgram(
    'parallel loops in branches within branches',
    (b, a) => {
      const outer = b.cmp('lt', b.load('n', b.i32(3)), a);
      b.if(outer, () => {
        all(b, (i) => b.store('n', b.add(i, b.i32(1)), i), b.i32(4));
        const inner = b.cmp('gt', b.rem(a, b.i32(2)), b.i32(0));
        b.if(
          inner,
          () => all(b, (i) => b.store('x', b.cast(b.add(b.load('n', b.rem(i, b.i32(4))), a), 'f64'), i)),
          () => {
            b.store('n', b.i32(-9), b.i32(3));
            all(b, (i) => b.store('y', b.load('x', b.sub(b.i32(N - 1), i)), i));
          },
        );
        all(b, (i) => b.store('x', b.add(b.load('x', i), b.load('y', i)), i));
      });
    },
    [3, 4, 9, 4],
  );

const countedSweeps = (b: Builder, count: Value): void => {
  const [scale] = b.for(b.i32(1), count, b.i32(2), {}, [b.f64(0.5)], (s, [scale]) => {
    sweep(b, scale!);
    b.store('n', s, b.i32(2));
    return b.mul(scale!, b.f64(-0.5));
  });
  all(b, (i) => b.store('y', b.mul(b.load('x', i), scale!), i));
};

const sweeps = (): Program =>
  stepProgram(
    'parallel loops in a serial loop',
    (b, a) => countedSweeps(b, b.add(b.mul(a, b.i32(2)), b.i32(1))),
    [3, 0, 2],
  );

const sweepsKnownToTheDevice = (): Program =>
  stepProgram(
    'parallel loops in a serial loop of few iterations, as memory says',
    (b, a) => countedSweeps(b, b.min(b.load('n', b.rem(a, b.i32(2))), b.i32(9))),
    [0, 1, 2],
  );

const sweepsWithoutBound = (): Program =>
  stepProgram(
    'parallel loops in a serial loop as long as memory says',
    (b, a) => countedSweeps(b, b.load('n', b.rem(a, b.i32(2)))),
    [0, 1, 2],
  );

/** Until what the loops compute is small enough. */
const sweepsUntilDone = (): Program =>
  stepProgram(
    'parallel loops in a loop that ends when they are done',
    (b, a) => {
      const [rounds] = b.while(
        [a],
        ([k]) => [b.cmp('gt', b.load('x', b.i32(7)), b.f64(1)), k!],
        ([k]) => {
          all(b, (i) => b.store('x', b.mul(b.load('x', i), b.f64(0.5)), i));
          return b.add(k!, b.i32(1));
        },
      );
      b.store('n', rounds!, b.i32(0));
    },
    [0, 10],
  );

const branchesOfSweeps = (): Program =>
  stepProgram(
    'parallel loops in branches of serial loops in branches',
    (b, a) => {
      b.if(b.cmp('gt', a, b.i32(0)), () => {
        b.for(b.i32(0), a, b.i32(1), {}, [], (s) => {
          b.if(
            b.cmp('eq', b.rem(s, b.i32(2)), b.i32(0)),
            () => sweep(b, b.f64(0.25)),
            () => all(b, (i) => b.store('x', b.add(b.load('x', i), b.cast(s, 'f64')), i)),
          );
        });
        b.store('n', a, b.i32(1));
      });
    },
    [4, 0, 1],
  );
