import { type Builder, declareBuffer } from '@filigree/ir';
import { type Layout, dense, field, hash, i, j, layout } from '@filigree/sparse/fields';
import { type OnFields, add, load, over, range, store } from './on-fields.js';

const u = field('u', 'i32');
const v = field('v', 'i32', { ambient: 3 });

/** What `sparse` makes of kernels on sparse fields. */
export const fieldPrograms = (): readonly OnFields[] => [
  contention('cells that many want at once, as many as there is memory for', () =>
    layout(dense(i, 64).pointer({ cells: 40 }).dense(i, 4).place(u, v)),
  ),
  contention('cells of a hash table that many want at once', () =>
    layout(hash(i, 64, { cells: 40 }).dense(i, 4).place(u, v)),
  ),
  contention('cells behind cells that many want at once', () =>
    layout(dense(i, 8).pointer({ cells: 5 }).dense(i, 8).pointer({ cells: 40 }).dense(i, 4).place(u, v)),
  ),
  comeAndGo(),
  lists(),
  scratchpads(),
];

const SIZE = 256;
const WANTED = 160;

/** What there is of a field, read by all. */
const look = (b: Builder, name: string, into: string): void =>
  range(b, SIZE, (n) => b.store(into, load(b, name, n), n));

/** Neighbouring iterations want the same cell, and all cells are wanted often. Fields begin with what they are everywhere. */
const contention = (name: string, of: () => Layout): OnFields => ({
  name,
  layout: of(),
  buffers: ['counts', 'others'].map((b) => declareBuffer(b, 'i32', SIZE, 'output')),
  kernels: {
    fill: (b) =>
      range(b, 2000, (n) => {
        add(b, 'u', b.i32(1), b.rem(n, b.i32(WANTED)));
        add(b, 'v', b.i32(1), b.rem(b.shr(n, b.i32(3)), b.i32(WANTED)));
      }),
    look: (b) => {
      look(b, 'u', 'counts');
      look(b, 'v', 'others');
    },
  },
});

/** Cells are made, some of them taken back, collected and given out again, as others are: what is new is as it was in the beginning. */
const comeAndGo = (): OnFields => {
  const of = layout(dense(i, 64).pointer({ cells: 64 }).dense(i, 4).place(u, v));
  return {
    name: 'cells that come and go',
    layout: of,
    buffers: ['first', 'then', 'last'].map((b) => declareBuffer(b, 'i32', SIZE, 'output')),
    kernels: {
      make: (b) => range(b, SIZE, (n) => store(b, 'v', n, n)),
      look: (b) => look(b, 'v', 'first'),
      drop: (b) =>
        range(b, 64, (n) =>
          b.if(
            b.cmp('eq', b.and(n, b.i32(3)), b.i32(1)),
            () => void b.op('field.deactivate', [n], { node: of.nodes[1]!.name }),
          ),
        ),
      lookAgain: (b) => look(b, 'v', 'then'),
      again: (b) => range(b, SIZE, (n) => add(b, 'v', b.i32(100), n)),
      lookLast: (b) => look(b, 'v', 'last'),
    },
  };
};

/** Lists that all iterations append to, a list for each of a few cells, and loops over what is in them. */
const lists = (): OnFields => {
  const of = layout(dense(i, 8).pointer().dynamic(j, 200).place(u));
  return {
    name: 'lists that grow',
    layout: of,
    buffers: [declareBuffer('lengths', 'i32', 8, 'output'), declareBuffer('sums', 'i32', 8, 'output')],
    kernels: {
      append: (b) =>
        range(b, 1000, (n) => {
          const list = b.rem(n, b.i32(6));
          const at = b.value('field.append', [list], { node: of.nodes.find((x) => x.kind === 'dynamic')!.name });
          store(b, 'u', n, list, at);
        }),
      look: (b) => {
        const node = of.nodes.findIndex((x) => x.kind === 'dynamic');
        range(b, 8, (n) => b.store('lengths', b.value('field.length', [n], { node: of.nodes[node]!.name }), n));
        over(b, of, node, (list, at) => void b.atomic('sums', 'add', load(b, 'u', list!, at!), list!));
      },
    },
  };
};

/** A loop over active blocks that reads neighbours, and one that adds to them, both by scratchpads; and a sum of all. */
const scratchpads = (): OnFields => {
  const of = layout(dense(i, 16).pointer().dense(i, 16).place(u, v));
  const node = 2;
  return {
    name: 'blocks of cells with scratchpads, and sums over them',
    layout: of,
    buffers: [declareBuffer('spread', 'i32', SIZE, 'output'), declareBuffer('total', 'i32', 1, 'output')],
    kernels: {
      make: (b) => range(b, 100, (n) => store(b, 'u', n, b.add(n, b.i32(40)))),
      scatter: (b) => over(b, of, node, (n) => add(b, 'v', load(b, 'u', n!), b.add(n!, b.i32(1))), { cache: ['v'] }),
      sum: (b) => over(b, of, node, (n) => void b.atomic('total', 'add', load(b, 'v', n!), b.i32(0))),
      look: (b) => look(b, 'v', 'spread'),
    },
  };
};
