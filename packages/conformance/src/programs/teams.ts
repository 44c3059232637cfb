import { buildKernel, declareBuffer, makeModule, type Buffer, type Builder, type Value } from '@filigree/ir';
import type { Program } from '../program.js';

/** Loops for teams within parallel loops: what threads of a team hand each other through scratch, or do to it together. */
export const teamPrograms = (): readonly Program[] => [
  reversedTiles(),
  sums('i32'),
  sums('f64'),
  counts(),
  steps(),
  odd(),
  places('each takes a place of its own', () => 1),
  places('each takes as many places as it wants', (k) => (k * 7) % 5),
  ofAll(),
];

/**
 * Iterations that run at once take places in a list by one counter, some of them none, and sign what they took. Which place is whose is left open, but
 * none is taken twice. Whatever goes wrong, what is not there is not touched.
 */
const places = (name: string, wanted: (k: number) => number): Program => {
  const COUNT = 1000;
  const wants = Int32Array.from({ length: COUNT }, (_, k) => (k % 3 === 1 ? 0 : wanted(k)));
  const all = wants.reduce((sum, n) => sum + n, 0);
  const buffers = [
    declareBuffer('wants', 'i32', COUNT, 'input'),
    declareBuffer('taken', 'i32', 1, 'output'),
    declareBuffer('list', 'i32', all, 'temp'),
    declareBuffer('signs', 'i32', all, 'output'),
    declareBuffer('found', 'i32', COUNT, 'output'),
  ];
  const always = wants.every((n) => n < 2);
  const kernel = buildKernel(
    'take',
    {},
    (b) => {
      const [zero, one] = [b.i32(0), b.i32(1)];
      b.for(zero, b.i32(COUNT), one, { parallel: true }, [], (k) => {
        const wants = b.load('wants', k);
        b.if(b.cmp('gt', wants, zero), () => {
          const first = b.atomic('taken', 'add', always ? one : wants, zero);
          const [from, to] = [b.max(first, zero), b.min(b.add(first, wants), b.i32(all))];
          b.for(from, to, one, {}, [], (at) => {
            b.atomic('signs', 'add', one, at);
            b.store('list', k, at);
          });
        });
      });
      b.for(zero, b.min(b.load('taken', zero), b.i32(all)), one, { parallel: true }, [], (at) => {
        b.atomic('found', 'add', one, b.load('list', at));
      });
      b.for(zero, b.i32(all), one, { parallel: true }, [], (at) => b.store('list', zero, at));
    },
    buffers,
  );
  return { name, module: makeModule(name.replace(/\W+/g, '_'), buffers, [kernel]), inputs: { wants } };
};

/** What all iterations add to, or compare with, one element each; of some of the later iterations there is nothing. Sums are exact in any order. */
const ofAll = (): Program => {
  const COUNT = 700;
  const types = ['i32', 'u32', 'f32', 'f64'] as const;
  const kinds = ['add', 'min', 'max'] as const;
  const buffers = [
    declareBuffer('x', 'i32', COUNT, 'input'),
    ...types.map((type) => declareBuffer(`of_${type}`, type, kinds.length, 'inout')),
  ];
  const kernel = buildKernel(
    'all',
    {},
    (b) =>
      void b.for(b.i32(0), b.i32(COUNT), b.i32(1), { parallel: true }, [], (n) => {
        const x = b.load('x', n);
        b.if(b.or(b.cmp('lt', n, b.i32(COUNT / 2)), b.cmp('ne', b.and(x, b.i32(3)), b.i32(2))), () => {
          for (const type of types)
            kinds.forEach((kind, k) => void b.atomic(`of_${type}`, kind, b.cast(x, type), b.i32(k)));
        });
      }),
    buffers,
  );
  const x = Int32Array.from({ length: COUNT }, (_, k) => ((k * 7919) % 1009) + 3);
  return {
    name: 'sums and extremes of all',
    module: makeModule('sums_and_extremes_of_all', buffers, [kernel]),
    inputs: { x },
  };
};

const N = 37;
const TILE = 96;

/** A parallel loop over tiles, of each of which a team does what is in it. */
const tiles = (name: string, buffers: readonly Buffer[], body: (b: Builder, tile: Value) => void): Program['module'] =>
  makeModule(name.replace(/\W+/g, '_'), buffers, [
    buildKernel(
      'tiles',
      {},
      (b) => void b.for(b.i32(0), b.i32(N), b.i32(1), { parallel: true }, [], (t) => body(b, t)),
      buffers,
    ),
  ]);

const team = (b: Builder, count: number, body: (n: Value) => void): void =>
  void b.for(b.i32(0), b.i32(count), b.i32(1), { team: true }, [], (n) => body(n));

const values = (count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, k) => ((k * 37) % 101) / 8 - 5);

/** Each thread reads what another wrote: without the barrier between, what was there before. */
const reversedTiles = (): Program => {
  const buffers = [
    declareBuffer('x', 'f64', N * TILE, 'input'),
    declareBuffer('y', 'f64', N * TILE, 'output'),
    declareBuffer('tile', 'f64', TILE, 'scratch'),
  ];
  const module = tiles('tiles reversed by teams', buffers, (b, t) => {
    const from = b.mul(t, b.i32(TILE));
    team(b, TILE, (n) => b.store('tile', b.load('x', b.add(from, n)), n));
    team(b, TILE, (n) => b.store('y', b.load('tile', b.sub(b.i32(TILE - 1), n)), b.add(from, n)));
  });
  return { name: 'tiles reversed by teams', module, inputs: { x: values(N * TILE) } };
};

/** Sums by halves: every step reads what the last wrote. Within a step all reads are of the upper half, all writes of the lower one. */
const sums = (type: 'i32' | 'f64'): Program => {
  const buffers = [
    declareBuffer('x', type, N * 64, 'input'),
    declareBuffer('y', type, N, 'output'),
    declareBuffer('part', type, 64, 'scratch'),
  ];
  const name = `sums of ${type} by teams`;
  const module = tiles(name, buffers, (b, t) => {
    team(b, 64, (n) => b.store('part', b.load('x', b.add(b.mul(t, b.i32(64)), n)), n));
    for (let half = 32; half >= 1; half /= 2)
      team(b, half, (n) => b.store('part', b.add(b.load('part', n), b.load('part', b.add(n, b.i32(half)))), n));
    b.store('y', b.load('part', b.i32(0)), t);
  });
  const x = type === 'i32' ? Int32Array.from({ length: N * 64 }, (_, k) => (k * 7919) % 1000) : values(N * 64);
  return { name, module, inputs: { x } };
};

/** How often each of eight values occurs, counted by atomics on what the team shares, which one thread sets to zero before. */
const counts = (): Program => {
  const buffers = [
    declareBuffer('x', 'i32', N * TILE, 'input'),
    declareBuffer('y', 'i32', N * 8, 'output'),
    declareBuffer('bins', 'i32', 8, 'scratch'),
  ];
  const module = tiles('counts by teams', buffers, (b, t) => {
    for (let k = 0; k < 8; k++) b.store('bins', b.i32(0), b.i32(k));
    team(b, TILE, (n) => {
      const value = b.load('x', b.add(b.mul(t, b.i32(TILE)), n));
      b.atomic('bins', 'add', b.i32(1), b.and(value, b.i32(7)));
    });
    team(b, 8, (n) => b.store('y', b.load('bins', n), b.add(b.mul(t, b.i32(8)), n)));
  });
  const x = Int32Array.from({ length: N * TILE }, (_, k) => (k * k + 3 * k) >> 1);
  return { name: 'counts by teams', module, inputs: { x } };
};

/** Loops for teams in a serial loop, whose length the data say, and in a branch: all threads of a team go the same way. */
const steps = (): Program => {
  const buffers = [
    declareBuffer('x', 'i32', N, 'input'),
    declareBuffer('y', 'f64', N * 32, 'output'),
    declareBuffer('ring', 'f64', 33, 'scratch'),
  ];
  const module = tiles('steps of teams', buffers, (b, t) => {
    team(b, 33, (n) => b.store('ring', b.cast(b.add(n, t), 'f64'), n));
    b.for(b.i32(0), b.load('x', t), b.i32(1), {}, [], () => {
      team(b, 16, (n) => {
        const at = b.mul(n, b.i32(2));
        b.store('ring', b.add(b.load('ring', at), b.load('ring', b.add(at, b.i32(1)))), at);
      });
      b.if(
        b.cmp('gt', b.load('ring', b.i32(4)), b.constant(40, 'f64')),
        () => {
          team(b, 16, (n) => b.store('ring', b.constant(1, 'f64'), b.add(b.mul(n, b.i32(2)), b.i32(1))));
          return [];
        },
        () => [],
      );
    });
    team(b, 32, (n) => b.store('y', b.load('ring', n), b.add(b.mul(t, b.i32(32)), n)));
  });
  return { name: 'steps of teams', module, inputs: { x: Int32Array.from({ length: N }, (_, k) => k % 6) } };
};

/** More iterations than a block has threads, from other than 0 and by other than 1. */
const odd = (): Program => {
  const buffers = [declareBuffer('y', 'i32', N * 400, 'output'), declareBuffer('line', 'i32', 400, 'scratch')];
  const module = tiles('teams with steps of three', buffers, (b, t) => {
    team(b, 400, (n) => b.store('line', n, n));
    b.for(b.i32(1), b.i32(398), b.i32(3), { team: true }, [], (n) => b.store('line', b.mul(n, t), n));
    team(b, 400, (n) => b.store('y', b.load('line', b.sub(b.i32(399), n)), b.add(b.mul(t, b.i32(400)), n)));
  });
  return { name: 'teams with steps of three', module, inputs: {} };
};
