import { isVector, type Kernel, type Op, type Region, type Value } from '@filigree/ir';
import { takesLanes } from '@filigree/opt';
import { accessesOf } from './core-ops.js';

/** Accesses to a buffer at constant distances from one index: they share a pointer. */
export interface Place {
  readonly buffer: string;
  readonly base: Value;
  readonly written: boolean;
}

/** An access as a place and how many elements it is from there. */
export interface Placed {
  readonly place: Place;
  readonly plus: number;
}

export interface Places {
  /** Where an op reads or writes, if its place has a pointer. */
  readonly of: (op: Op) => Placed | undefined;
  /** The places whose pointers are made before an op of a region, by the op's position. */
  readonly before: (region: Region, position: number) => readonly Place[];
  readonly all: readonly Place[];
}

/** No access has a pointer of its own. */
export const noPlaces: Places = { of: () => undefined, before: () => [], all: [] };

/**
 * The places of a kernel that are worth a pointer. Compilers that see many sums of an index and a constant keep many of them in
 * registers, and then on the stack; with a pointer made once there is nothing to keep but that, and distances are part of the
 * instruction. Loops for vector lanes are left alone, since compilers follow indices there.
 *
 * @param options.isPart whether a loop becomes a function of its own, to which pointers are not passed
 * @param options.unbounded whether a sum is the same as without a limit to its type
 */
export const placesOf = (
  kernel: Kernel,
  options: { readonly isPart: (op: Op) => boolean; readonly unbounded: (v: Value) => boolean },
): Places => {
  const definitions = new Map<number, Op>();
  const homes = new Map<number, Region>();
  const found = new Map<Region, Map<string, Found>>();

  const see = (op: Op, path: readonly Step[]): void => {
    const access = accessesOf(op)?.[0];
    if (access?.kind !== 'read' && access?.kind !== 'write') return;
    const index = access.index[0]!;
    if (isVector(index.type)) return;
    const stepOf = (v: Value): Step | undefined => path.find(({ region }) => region === homes.get(v.id));
    /* What another function computes is passed to this one as it is. */
    const splits = (v: Value): boolean => stepOf(v) !== undefined && options.unbounded(v);
    const { base, plus } = baseOf(index, definitions, splits);
    if (definitions.get(base.id)?.name === 'arith.constant') return;
    const step = stepOf(base) ?? path[0]!;
    const buffer = access.place;
    const key = `${base.id} ${buffer}`;
    const places = found.get(step.region) ?? new Map<string, Found>();
    found.set(step.region, places);
    const place = places.get(key) ?? { buffer, base, first: step.position, accesses: [] };
    places.set(key, place);
    place.accesses.push({ op, plus, writes: access.kind === 'write' });
  };
  const walk = (region: Region, path: readonly Step[], inPart: boolean): void => {
    for (const p of region.params) homes.set(p.id, region);
    region.ops.forEach((op, position) => {
      const here = [...path, { region, position }];
      see(op, here);
      const starts = !inPart && options.isPart(op);
      if (!takesLanes(op)) for (const r of op.regions) walk(r, starts ? [] : here, inPart || starts);
      for (const r of op.results) {
        definitions.set(r.id, op);
        homes.set(r.id, region);
      }
    });
  };
  walk(kernel.body, [], false);

  const placed = new Map<Op, Placed>();
  const starts = new Map<Region, Map<number, Place[]>>();
  const all: Place[] = [];
  for (const [region, places] of found)
    for (const { buffer, base, first, accesses } of places.values()) {
      if (new Set(accesses.map((a) => a.plus)).size < FEWEST) continue;
      const place = { buffer, base, written: accesses.some(({ writes }) => writes) };
      for (const { op, plus } of accesses) placed.set(op, { place, plus });
      const at = starts.get(region) ?? new Map<number, Place[]>();
      starts.set(region, at.set(first, [...(at.get(first) ?? []), place]));
      all.push(place);
    }
  return {
    of: (op) => placed.get(op),
    before: (region, position) => starts.get(region)?.get(position) ?? [],
    all,
  };
};

/** Distances from a place that are worth a pointer. */
const FEWEST = 6;

/** Where an op stands in a region. */
interface Step {
  readonly region: Region;
  readonly position: number;
}

interface Found {
  readonly buffer: string;
  readonly base: Value;
  readonly first: number;
  readonly accesses: { readonly op: Op; readonly plus: number; readonly writes: boolean }[];
}

/** An index without the constants that are added to it, where that sum may be split. */
const baseOf = (
  index: Value,
  definitions: ReadonlyMap<number, Op>,
  splits: (v: Value) => boolean,
): { readonly base: Value; readonly plus: number } => {
  let [base, plus] = [index, 0];
  for (;;) {
    const op = definitions.get(base.id);
    if (op?.name !== 'arith.add' || !splits(base)) return { base, plus };
    const at = op.operands.findIndex((v) => definitions.get(v.id)?.name === 'arith.constant');
    if (at < 0) return { base, plus };
    plus += Number(definitions.get(op.operands[at]!.id)!.attrs['value']);
    base = op.operands[1 - at]!;
  }
};
