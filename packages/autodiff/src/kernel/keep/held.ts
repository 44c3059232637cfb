import {
  isLoop,
  useCounts,
  walk,
  type ControlOf,
  type Kernel,
  type Op,
  type OpTable,
  type Region,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { nodeOf, storedOf, valueName, type Format, type Layout, type PlacedField } from '@filigree/sparse/fields';
import { digitsOf } from '../indices/digits.js';
import type { ElementOpOf } from '../elements/element-ops.js';
import type { LoopFacts } from '../indices/loop-facts.js';
import type { OwnedIn } from '../elements/own.js';
import { isRounded } from '../elements/rounded.js';
import { areApart, coordinatesOf } from '../elements/touched.js';

/** What is asked of a kernel whose elements are to be held in values. */
export interface HoldSetting {
  readonly kernel: Kernel;
  readonly layout: Layout;
  readonly table: OpTable;
  readonly controlOf: ControlOf;
  readonly elementOf: ElementOpOf;
  readonly ownedIn: OwnedIn;
  readonly facts: LoopFacts;
  /** Whether fields that are stored in a format of their own are held too, as the numbers that they are rounded to. */
  readonly rounded: boolean;
}

/** An element that a region overwrites, and of which a value can take the place there. */
export interface Held {
  readonly field: string;
  readonly type: ScalarType;
  /** The format in which it is stored, where that is one of its own. */
  readonly format: Format | undefined;
  readonly index: readonly Value[];
  readonly uses: readonly Op[];
  /** The number of the op of the region that touches it first. */
  readonly from: number;
  /** Coordinates that may be outside of the field, and how many there are. */
  readonly unsure: readonly { readonly at: Value; readonly extent: number }[];
}

/**
 * The elements that the iterations of a parallel loop own, or that serial code has for itself, and that nothing else in the region may touch: all accesses are at one index that is computed before the first of
 * them, or at such as are certainly others, and lie in branches and serial loops.
 *
 * @param loop the parallel loop of the region, if there is one
 */
export const heldIn = (region: Region, loop: Op | undefined, s: HoldSetting): readonly Held[] => {
  const uses = usesIn(region, s);
  if (!uses) return [];
  const owns = loop && s.ownedIn(loop);
  const coordinate = coordinatesOf(s.kernel);
  const known = positionsOf(region);
  const counts = useCounts(region);
  const isUsed = (op: Op): boolean => op.results.some((r) => (counts.get(r.id) ?? 0) > 0);
  const extentOf = extentsIn(loop, s);
  return [...uses].flatMap(([field, all]): readonly Held[] => {
    const placed = s.layout.fields.get(field)!;
    if (!all.every((u) => u.plain && (!owns || owns(u.op)))) return [];
    const groups = new Map<string, Use[]>();
    for (const u of all) {
      const key = u.index.map((v) => v.id).join();
      groups.set(key, [...(groups.get(key) ?? []), u]);
    }
    const touched = [...groups.values()].map(([{ index }]) => ({ place: field, index: index.map(coordinate) }));
    if (touched.some((a, n) => touched.slice(n + 1).some((b) => !areApart(a, b)))) return [];
    return [...groups.values()].flatMap((group): readonly Held[] => {
      const [{ index, top: from }] = group;
      const reads = group.some(({ op }) => op.name === 'field.load' || isUsed(op));
      const stores = group.some(({ op }) => op.name === 'field.store');
      if (group.length < 2 || !(reads || stores) || !group.some(({ op }) => op.name !== 'field.load')) return [];
      if (!index.every((v) => (known.get(v.id) ?? -1) < from)) return [];
      const unsure = placed.unbounded
        ? []
        : index.flatMap((at, n) => (extentOf(at, placed, n) ? [] : [{ at, extent: placed.extents[n] }]));
      const format = storedOf(s.layout, field)?.format;
      return [{ field, type: placed.field.type, format, index, uses: group.map(({ op }) => op), from, unsure }];
    });
  });
};

interface Use {
  readonly op: Op;
  readonly index: readonly Value[];
  readonly top: number;
  /** Whether it is all that happens to the element, in branches and serial loops. */
  readonly plain: boolean;
}

/** Accesses to fields, by field, of which nothing else in the region changes elements; nothing where an op may change anything. */
const usesIn = (
  region: Region,
  { layout, table, controlOf, elementOf, rounded }: HoldSetting,
): ReadonlyMap<string, readonly Use[]> | undefined => {
  const uses = new Map<string, Use[]>();
  const changed = new Set<string>();
  const isCarrying = (op: Op): boolean => {
    const control = controlOf(op);
    return CARRYING.has(op.name) && control !== undefined && !(isLoop(control) && control.parallel === true);
  };
  let anything = false;
  region.ops.forEach((first, top) => {
    const visit = (op: Op, around: readonly Op[]): void => {
      const element = elementOf(op);
      if (element?.lasting) {
        const field = String(op.attrs.field);
        const plain = op.attrs.activate !== false && around.every(isCarrying);
        uses.set(field, [...(uses.get(field) ?? []), { op, index: element.index, top, plain }]);
        return;
      }
      for (const { kind, buffer } of table.get(op.name)!.effects(op))
        if (kind !== 'read' && buffer === undefined) anything = true;
        else if (kind !== 'read') changed.add(buffer!);
    };
    visit(first, []);
    for (const inner of first.regions) walk(inner, (op, parents) => visit(op, [first, ...parents]));
  });
  if (anything) return undefined;
  const isOwn = (field: string): boolean => {
    const placed = layout.fields.get(field)!;
    const leaf = layout.nodes[placed.path[placed.path.length - 1]];
    return !changed.has(valueName(leaf));
  };
  /* Sums add codes, which wrap, and one exponent is chosen for several fields: what there is then follows from no value alone. */
  const isKnown = (field: string, of: readonly Use[]): boolean =>
    !isRounded(layout, field) ||
    (rounded &&
      storedOf(layout, field)?.joint === undefined &&
      of.every(({ op: { name } }) => name === 'field.load' || name === 'field.store'));
  return new Map([...uses].filter(([field, of]) => isOwn(field) && isKnown(field, of)));
};

/** Ops that a value can be carried through. */
const CARRYING: ReadonlySet<string> = new Set(['scf.if', 'scf.for', 'scf.while']);

/** After which op of the region a value is there: those of regions within it never are. */
const positionsOf = ({ ops }: Region): ReadonlyMap<number, number> => {
  const positions = new Map<number, number>();
  ops.forEach((op, n) => {
    for (const r of op.results) positions.set(r.id, n);
    for (const inner of op.regions) {
      for (const p of inner.params) positions.set(p.id, Infinity);
      walk(inner, (o) => {
        for (const r of [...o.results, ...o.regions.flatMap(({ params }) => params)]) positions.set(r.id, Infinity);
      });
    }
  });
  return positions;
};

/** Whether a coordinate of an index is certainly within a field. */
const extentsIn = (
  loop: Op | undefined,
  { layout, facts: { constants } }: HoldSetting,
): ((at: Value, placed: PlacedField, n: number) => boolean) => {
  const most = new Map<number, number>();
  const node = loop?.name === 'field.for' ? nodeOf(layout, loop) : undefined;
  const inNode = node && [...layout.fields.values()].find(({ path }) => path[path.length - 2] === node.id);
  if (loop && inNode && !inNode.unbounded) loop.regions[0].params.forEach((p, n) => most.set(p.id, inNode.extents[n]));
  if (loop?.name === 'scf.for') {
    const [lower, upper] = loop.operands.map((v) => constants.get(v.id));
    if (typeof lower === 'number' && lower >= 0 && typeof upper === 'number')
      most.set(loop.regions[0].params[0].id, upper);
    const digits = digitsOf([loop], loop.regions[0].ops, constants);
    for (const v of digits?.values ?? []) most.set(v.id, digits!.shiftOf(v)!.extent);
  }
  return (at, placed, n) => {
    const number = constants.get(at.id);
    if (typeof number === 'number') return number >= 0 && number < placed.extents[n];
    return (most.get(at.id) ?? Infinity) <= placed.extents[n];
  };
};
