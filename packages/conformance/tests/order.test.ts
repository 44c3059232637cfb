import { describe, expect, it } from 'vitest';
import { type Protocol, explore, withoutEachFence } from '@filigree/conformance';
import { buildKernel, declareBuffer, makeModule, type Builder, type Value } from '@filigree/ir';

const kernels = (
  names: readonly string[],
  threads: Readonly<Record<string, (b: Builder, id: Value) => void>>,
  from: Omit<Protocol, 'module' | 'threads'>,
  runs: readonly (readonly [kernel: string, id: number])[] = Object.keys(threads).map((k, n) => [k, n]),
): Protocol => {
  const buffers = names.map((n) => declareBuffer(n, 'i32', 8, 'inout'));
  const all = Object.entries(threads).map(([name, body]) =>
    buildKernel(name, { id: 'i32' }, (b, { id }) => body(b, id), buffers),
  );
  const module = makeModule('protocol', buffers, all);
  return { module, threads: runs.map(([kernel, id]) => ({ kernel, args: [id] })), ...from };
};

const fence = (b: Builder, order: string): void => void b.op('mem.fence', [], { order });
const none = (): readonly Value[] => [];

/** A cell is written, then found by its number: what is read of it is what was written. */
const publishing = kernels(
  ['cell', 'number', 'seen'],
  {
    writer: (b) => {
      b.store('cell', b.i32(7), b.i32(0));
      fence(b, 'release');
      b.cas('number', b.i32(0), b.i32(1), b.i32(0));
    },
    reader: (b) => {
      const found = b.load('number', b.i32(0));
      b.if(
        b.cmp('ne', found, b.i32(0)),
        () => {
          fence(b, 'acquire');
          b.store('seen', b.load('cell', b.i32(0)), b.i32(0));
          return none();
        },
        none,
      );
    },
  },
  {
    inputs: { seen: [7] },
    wrong: (memory) => (memory('seen', 0) === 7 ? undefined : `a cell was found with ${memory('seen', 0)} in it`),
  },
);

/** A cell that one thread has written and does not need is given to another, which writes it anew: that is what stays. */
const handingOn = kernels(
  ['row', 'spare', 'owner'],
  {
    gives: (b) => {
      b.store('row', b.i32(1), b.i32(0));
      fence(b, 'release');
      b.atomic('spare', 'exchange', b.i32(5), b.i32(0));
    },
    takes: (b) => {
      const cell = b.atomic('spare', 'exchange', b.i32(0), b.i32(0));
      b.if(
        b.cmp('ne', cell, b.i32(0)),
        () => {
          fence(b, 'acquire');
          b.store('row', b.i32(2), b.i32(0));
          b.store('owner', cell, b.i32(0));
          return none();
        },
        none,
      );
    },
  },
  {
    wrong: (memory) =>
      memory('owner', 0) === 0 || memory('row', 0) === 2
        ? undefined
        : `the cell was taken, and holds what its first owner wrote: ${memory('row', 0)}`,
  },
);

/** Appending to a list: a place is drawn, the value written, the place marked; who sees the mark sees the value. */
const appending = kernels(
  ['length', 'items', 'marks', 'sum'],
  {
    appends: (b, id) => {
      const at = b.atomic('length', 'add', b.i32(1), b.i32(0));
      b.store('items', b.add(id, b.i32(10)), at);
      fence(b, 'release');
      b.store('marks', b.i32(1), at);
    },
    reads: (b) => {
      b.if(
        b.cmp('eq', b.load('marks', b.i32(0)), b.i32(1)),
        () => {
          fence(b, 'acquire');
          b.store('sum', b.load('items', b.i32(0)), b.i32(0));
          return none();
        },
        none,
      );
    },
  },
  {
    inputs: { sum: [10] },
    wrong: (memory) =>
      memory('length', 0) === 2 && memory('sum', 0) >= 10 ? undefined : `an item was read as ${memory('sum', 0)}`,
  },
  [
    ['appends', 0],
    ['appends', 1],
    ['reads', 0],
  ],
);

const protocols: readonly (readonly [string, Protocol])[] = [
  ['publishing a cell', publishing],
  ['handing a cell on', handingOn],
  ['appending to a list', appending],
];

describe.each(protocols)('%s', (_, protocol) => {
  it('is right in every order and with every delay', () => {
    const { runs, wrong } = explore(protocol);
    expect(wrong).toBeUndefined();
    expect(runs).toBeGreaterThan(3);
  });

  it('is right without fences where memory does not lag', () => {
    for (const mutant of withoutEachFence(protocol)) expect(explore(mutant, { delays: 0 }).wrong).toBeUndefined();
  });

  it('goes wrong without any one of its fences, and says how', () => {
    const mutants = withoutEachFence(protocol);
    expect(mutants.length).toBe(2);
    for (const mutant of mutants) {
      const { wrong } = explore(mutant);
      expect(wrong?.message).toBeDefined();
      expect(wrong!.trace.join('\n')).toMatch(/thread 0: store/);
    }
  });
});

describe('what memory may do', () => {
  const both = (first: (b: Builder) => void, second: (b: Builder) => void, wrong: Protocol['wrong']): Protocol =>
    kernels(['x', 'y', 'r'], { first, second }, { wrong });
  const seen = (memory: (b: string, i: number) => number): string => `${memory('r', 0)} ${memory('r', 1)}`;

  it('two threads that write, and read what the other writes, may both see nothing (store buffering)', () => {
    const p = both(
      (b) => {
        b.store('x', b.i32(1), b.i32(0));
        b.store('r', b.load('y', b.i32(0)), b.i32(0));
      },
      (b) => {
        b.store('y', b.i32(1), b.i32(0));
        b.store('r', b.load('x', b.i32(0)), b.i32(1));
      },
      (memory) => (seen(memory) === '0 0' ? 'both saw nothing' : undefined),
    );
    expect(explore(p).wrong?.message).toBe('both saw nothing');
    expect(explore(p, { delays: 0 }).wrong).toBeUndefined();
  });

  it('a place never goes back in the eyes of a thread', () => {
    const p = both(
      (b) => {
        b.store('x', b.i32(1), b.i32(0));
        b.store('x', b.i32(2), b.i32(0));
      },
      (b) => {
        const early = b.load('x', b.i32(0));
        b.store('r', early, b.i32(0));
        b.store('r', b.load('x', b.i32(0)), b.i32(1));
      },
      (memory) => (memory('r', 1) < memory('r', 0) ? 'it went back' : undefined),
    );
    expect(explore(p, { delays: 4, switches: 6 }).wrong).toBeUndefined();
  });

  it('atomic updates of one place lose nothing, plain ones do', () => {
    const add = (b: Builder): void => void b.atomic('x', 'add', b.i32(1), b.i32(0));
    const plain = (b: Builder): void => b.store('x', b.add(b.load('x', b.i32(0)), b.i32(1)), b.i32(0));
    const lost: Protocol['wrong'] = (memory) => (memory('x', 0) === 2 ? undefined : 'an update was lost');
    expect(explore(both(add, add, lost)).wrong).toBeUndefined();
    expect(explore(both(plain, plain, lost)).wrong?.message).toBe('an update was lost');
    expect(explore(both(add, plain, lost)).wrong?.message).toBe('an update was lost');
  });
});
