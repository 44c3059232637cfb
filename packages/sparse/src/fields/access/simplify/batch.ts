import { mapRegions, mapShared, opTable, type Dialect, type Kernel, type Op, type Region, opWith } from '@filigree/ir';
import type { SNode } from '../../layout/layout.js';
import { nodeStorage, type Storage } from '../../storage/storage.js';
import type { Footprint } from './effects.js';

/**
 * Combines consecutive lookups that activate cells of one node: the code that creates a missing cell then exists once,
 * in a loop, guarded by a single test of whether any is missing.
 */
export const batchActivations = (
  kernel: Kernel,
  storage: Storage,
  dialects: readonly Dialect[],
  footprint: (op: Op) => Footprint,
): Kernel => {
  const table = opTable(dialects);
  const isMovable = (op: Op): boolean => {
    if (op.name === 'snode.lookup') return op.attrs.activate !== true && !nodeStorage(storage, op).pool;
    const def = table.get(op.name);
    return (
      !!def && op.regions.length === 0 && def.effects(op).length === 0 && !def.traits.mayTrap && !def.traits.terminator
    );
  };
  const nodes = storage.nodes.filter((at) => at.pool && at.length === undefined).map((at) => at.node);
  const batchRegion = (region: Region): Region => {
    /* What a lookup of several keeps in scratch, threads of a team would share. */
    const ops = mapShared(region.ops, (op) => (op.attrs.team === true ? op : mapRegions(op, batchRegion)));
    const batched = nodes.reduce((list, node) => batchNode(list, node, isMovable, footprint), ops);
    return batched === region.ops ? region : { params: region.params, ops: batched };
  };
  const body = batchRegion(kernel.body);
  return body === kernel.body ? kernel : { ...kernel, body };
};

/** Fewer lookups than this stay as they are. */
const LEAST = 3;

/** Lookups that can be done at the place of the first. */
interface Group {
  readonly first: number;
  readonly members: number[];
  /** Other ops that have to come before them. */
  readonly before: Set<number>;
}

const batchNode = (
  ops: readonly Op[],
  node: SNode,
  isMovable: (op: Op) => boolean,
  footprint: (op: Op) => Footprint,
): readonly Op[] => {
  const isMember = (op: Op): boolean =>
    op.name === 'snode.lookup' && op.attrs.activate === true && op.attrs.node === node.name;
  if (ops.filter(isMember).length < LEAST) return ops;
  const groups: Group[] = [];
  const defined = new Map(ops.flatMap((op, n) => op.results.map((r) => [r.id, n] as const)));
  let open: Group | undefined;
  ops.forEach((op, n) => {
    if (isMember(op)) {
      if (!open || !join(open, n, ops, defined, isMovable))
        groups.push((open = { first: n, members: [n], before: new Set() }));
      return;
    }
    const { asks, deactivates } = footprint(op);
    if (asks.has(node.id) || deactivates.has(node.id)) open = undefined;
  });
  return groups.filter((g) => g.members.length >= LEAST).reduceRight(gather, ops);
};

/** Adds a lookup to a group, unless something that it needs has to stay where it is. */
const join = (
  group: Group,
  member: number,
  ops: readonly Op[],
  defined: ReadonlyMap<number, number>,
  isMovable: (op: Op) => boolean,
): boolean => {
  const needed = new Set<number>();
  const work = [member];
  for (let n = work.pop(); n !== undefined; n = work.pop())
    for (const v of ops[n].operands) {
      const at = defined.get(v.id);
      if (at === undefined || at < group.first || needed.has(at) || group.before.has(at)) continue;
      if (!isMovable(ops[at])) return false;
      needed.add(at);
      work.push(at);
    }
  needed.forEach((n) => group.before.add(n));
  group.members.push(member);
  return true;
};

const gather = (ops: readonly Op[], { first, members, before }: Group): readonly Op[] => {
  const lookups = members.map((n) => ops[n]);
  const taken = new Set([...members, ...before]);
  const all: Op = opWith(lookups[0], {
    name: 'snode.lookup_all',
    operands: lookups.flatMap((op) => op.operands),
    results: lookups.map((op) => op.results[0]),
    attrs: {
      node: lookups[0].attrs.node,
      site: lookups[0].attrs.site,
      count: lookups.length,
      ...(lookups.some((op) => op.attrs.past === true) ? { past: true } : {}),
    },
  });
  return [
    ...ops.slice(0, first),
    ...[...before].sort((a, b) => a - b).map((n) => ops[n]),
    all,
    ...ops.slice(first).filter((_, n) => !taken.has(first + n)),
  ];
};
