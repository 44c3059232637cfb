import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { allocateBuffers, type ScalarType } from '@filigree/ir';
import { hostField, openArena, type Box } from '@filigree/runtime';
import {
  componentsOf,
  dense,
  field,
  initializeArena,
  layout,
  matrixField,
  storageOf,
  vectorField,
  type AnyField,
  type Axes,
  type Axis,
  type Branch,
  type FieldDecl,
} from '@filigree/sparse/fields';

/* Fields of numbers, vectors and matrices whose components lie in arrays of several nodes, or within each other, along axes in any order. */

type Numeric = number | bigint;

/** What the test asks of a field, whatever its kind. */
interface Host {
  readonly get: (at: readonly number[]) => unknown;
  readonly set: (at: readonly number[], value: unknown) => void;
  readonly fill: (value: unknown) => void;
  readonly clear: () => void;
  readonly deactivate: (at: readonly number[]) => void;
  readonly isActive: (at: readonly number[]) => boolean;
  readonly bounds: () => Box | undefined;
  readonly entries: () => Iterable<readonly [readonly number[], unknown]>;
  readonly toArray: (box?: Box) => Iterable<Numeric>;
  readonly fromArray: (values: readonly Numeric[], box?: Box) => void;
}

/** Nodes around the cells in which a component lies: outermost first, each with its axes. */
type Nodes = readonly (readonly number[])[];

type Choose = (below: number) => number;

const [AXES, TYPES] = [
  [[0], [0, 1], [1, 2], [0, 1, 2]] as readonly (readonly number[])[],
  ['f32', 'f64', 'i32', 'i64', 'u8', 'i1'] as readonly ScalarType[],
];

const shuffled = <A>(choose: Choose, list: readonly A[]): readonly A[] => {
  const left = [...list];
  return list.map(() => left.splice(choose(left.length), 1)[0]);
};

const split = <A>(choose: Choose, list: readonly A[]): readonly (readonly A[])[] => {
  const groups: readonly A[][] = [[], []];
  for (const one of list) groups[choose(3) === 0 ? 1 : 0].push(one);
  return groups.filter((g) => g.length > 0);
};

const randomFields = (choose: Choose): readonly AnyField[] =>
  Array.from({ length: 1 + choose(3) }, (_, n): AnyField => {
    const type = TYPES[choose(TYPES.length)];
    const options = { ambient: choose(2) };
    const kind = choose(3);
    if (kind === 0) return field(`f${n}`, type, options);
    return kind === 1 ? vectorField(`f${n}`, type, 1 + choose(3), options) : matrixField(`f${n}`, type, 2, 2, options);
  });

/** Branches for components, and what lies around each. */
const randomBranches = (
  choose: Choose,
  axes: readonly number[],
  extents: readonly number[],
  all: readonly FieldDecl[],
  around: Nodes,
  nodes: Map<string, Nodes>,
): readonly Branch[] =>
  split(choose, all).map((some) => {
    const mixed = shuffled(choose, axes);
    const own = mixed.slice(0, 1 + choose(mixed.length));
    const rest = mixed.slice(own.length);
    const node = dense(own as readonly Axis[] as Axes, own.map((a) => extents[a])); // prettier-ignore
    const inside = [...around, own];
    if (rest.length > 0) return node.fork(...randomBranches(choose, rest, extents, some, inside, nodes));
    some.forEach((c) => nodes.set(c.name, inside));
    return node.place(...some);
  });

const places = ({ from, to }: Box): readonly (readonly number[])[] =>
  from.reduce<readonly (readonly number[])[]>(
    (list, x, a) => list.flatMap((at) => Array.from({ length: to[a] - x }, (_, k) => [...at, x + k])),
    [[]],
  );

const plain = (value: unknown): readonly Numeric[] => [value].flat(2) as readonly Numeric[];

it('fields in strided arrays do as lists of numbers do', () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat(2 ** 20)), (stream) => {
      const choose: Choose = (below) => stream.next().value % below;
      const fields = randomFields(choose);
      const axes = AXES[choose(AXES.length)];
      const extents = [0, 1, 2].map(() => 1 + choose(4));
      const nodes = new Map<string, Nodes>();
      const components = shuffled(choose, fields.flatMap((f) => componentsOf(f))); // prettier-ignore
      const storage = storageOf(layout(...randomBranches(choose, axes, extents, components, [], nodes)));
      const arena = openArena(storage, allocateBuffers(storage.buffers));
      initializeArena(storage, arena.words);

      const all: Box = { from: axes.map(() => 0), to: axes.map((a) => extents[a]) };
      const numberOf = (f: AnyField, x: number): Numeric =>
        f.type === 'i64' ? BigInt(x) : f.type === 'i1' ? x % 2 : x;
      const values = new Map(
        components.map((c) => [c.name, new Map<string, Numeric>(places(all).map((at) => [String(at), c.ambient]))]),
      );
      const own = (f: AnyField) => componentsOf(f).map((c) => values.get(c.name)!);
      /* The axes of a node tell its cells, with those of the nodes around it. */
      const ambient = (
        f: AnyField,
        depthOf: (n: Nodes) => number,
        isThere: (at: readonly number[], told: readonly number[]) => boolean,
      ): void => {
        // prettier-ignore
        for (const c of componentsOf(f)) {
          const mine = nodes.get(c.name)!;
          const depth = depthOf(mine);
          for (const other of components)
            if (mine.slice(0, depth).every((n, k) => n === nodes.get(other.name)![k]))
              for (const at of places(all))
                if (isThere(at, mine.slice(0, depth).flat())) values.get(other.name)!.set(String(at), other.ambient);
        }
      };
      const shown = (f: AnyField, at: readonly number[]): readonly number[] =>
        own(f).map((v) => Number(v.get(String(at))));

      for (let step = 0; step < 20; step++) {
        const f = fields[choose(fields.length)];
        const host = hostField(arena, f) as unknown as Host;
        const at = all.to.map((n) => choose(n));
        const one = componentsOf(f).map(() => numberOf(f, choose(100)));
        const value = f.is === 'scalar' ? one[0] : f.is === 'vector' ? one : [one.slice(0, 2), one.slice(2)];
        const from = all.to.map((n) => choose(n + 1));
        const box: Box = { from, to: from.map((x, a) => x + choose(all.to[a] - x + 1)) };
        const what = choose(6);
        if (what === 0) {
          host.set(at, value);
          own(f).forEach((v, n) => v.set(String(at), one[n]));
        } else if (what === 1) {
          host.fill(value);
          own(f).forEach((v, n) => places(all).forEach((p) => v.set(String(p), one[n])));
        } else if (what === 2) {
          const given = places(box).flatMap(() => own(f).map(() => numberOf(f, choose(100))));
          host.fromArray(given, box);
          places(box).forEach((p, k) => own(f).forEach((v, n) => v.set(String(p), given[k * own(f).length + n])));
        } else if (what === 3) {
          host.deactivate(at);
          ambient(f, (n) => n.length, (p, told) => told.every((axis) => p[axes.indexOf(axis)] === at[axes.indexOf(axis)])); // prettier-ignore
        } else if (what === 4) {
          host.clear();
          ambient(f, () => 1, () => true); // prettier-ignore
        } else {
          expect([...host.toArray(box)].map(Number)).toEqual(places(box).flatMap((p) => shown(f, p))); // prettier-ignore
          expect(plain(host.get(at)).map(Number)).toEqual(shown(f, at));
          expect([host.isActive(at), host.bounds()]).toEqual([true, all]);
        }
      }
      for (const f of fields) {
        const host = hostField(arena, f) as unknown as Host;
        expect([...host.toArray()].map(Number)).toEqual(places(all).flatMap((p) => shown(f, p)));
        const entries = [...host.entries()];
        expect(new Set(entries.map(([at]) => String(at))).size).toBe(places(all).length);
        for (const [at, value] of entries) expect(plain(value).map(Number)).toEqual(shown(f, at));
      }
    }),
    { numRuns: 150 },
  );
});
