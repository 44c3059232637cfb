import { coreDialects, derivative, opTable, walk, type Dialect, type Kernel, type Loc, type Op } from '@filigree/ir';
import { changesOf, fieldDialect, isSparse, nodeOf, structureName, type Layout } from '@filigree/sparse/fields';

/** What a kernel has to do with which cells of sparse nodes are active, by the numbers of the nodes. */
export interface Structural {
  /** Where it asks, as loops over elements do. */
  readonly reads: ReadonlyMap<number, Loc | undefined>;
  /** Where it may activate or deactivate some. */
  readonly changes: ReadonlyMap<number, Loc | undefined>;
  /** Whether it may deactivate cells, and activates none. */
  readonly shrinks: boolean;
  /** Nodes that it reads before it has changed them, or while it does. */
  readonly mixed: ReadonlySet<number>;
  /** Whether effects of its ops are on which cells there are of any node. */
  readonly reshapes: boolean;
}

export const structuralOf = ({ body }: Kernel, layout: Layout, dialects: readonly Dialect[]): Structural => {
  const table = opTable([...coreDialects, fieldDialect(layout), derivative, ...dialects]);
  const nodes = new Map(layout.nodes.map((n) => [structureName(n), n]));
  const [reads, changes] = [new Map<number, Place>(), new Map<number, Place>()];
  let [reshapes, grows] = [false, false];
  const note = (places: Map<number, Place>, n: number, { loc }: Op, top: number): void =>
    void places.set(n, { loc, ...places.get(n), first: places.get(n)?.first ?? top, last: top });
  const visit = (op: Op, parents: readonly Op[], top: number): void => {
    for (const { kind, buffer } of table.get(op.name)!.effects(op)) {
      const node = nodes.get(buffer ?? '');
      if (node && kind !== 'read') reshapes = true;
      if (node && kind === 'read' && isSparse(node)) note(reads, node.id, op, top);
    }
    if (op.regions.length > 0) return;
    /* What is at the element of an iteration is active. */
    const loop = parents.findLast(({ name }) => name === 'field.for');
    const own = loop && nodeOf(layout, loop)!.id;
    for (const n of changesOf(layout, { params: loop?.regions[0].params ?? [], ops: [op] }, own).nodes) {
      note(changes, n, op, top);
      grows ||= !SHRINKING.has(op.name);
    }
  };
  body.ops.forEach((first, top) => {
    visit(first, [], top);
    for (const region of first.regions) walk(region, (op, parents) => visit(op, [first, ...parents], top));
  });
  return {
    reads: locsOf(reads),
    changes: locsOf(changes),
    mixed: new Set([...reads].flatMap(([n, { first }]) => (first <= (changes.get(n)?.last ?? -1) ? [n] : []))),
    reshapes,
    shrinks: changes.size > 0 && !grows,
  };
};

const SHRINKING: ReadonlySet<string> = new Set(['field.deactivate', 'field.clear', 'field.clear_all']);

/** Where something stands in a kernel: the first of its places, and the numbers of the outermost ops around the first and the last. */
interface Place {
  readonly loc: Loc | undefined;
  readonly first: number;
  readonly last: number;
}

const locsOf = (places: ReadonlyMap<number, Place>): ReadonlyMap<number, Loc | undefined> =>
  new Map([...places].map(([n, { loc }]) => [n, loc]));
