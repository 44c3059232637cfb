import type { Buffer, Dialect, Kernel, Op, Region, Value } from '@filigree/ir';
import { mapRegions, mapShared } from '@filigree/ir';
import type { Storage } from '../../storage/storage.js';
import type { Footprint } from './effects.js';
import { ScopedMap, walkKernel } from './walker.js';

/**
 * Forwards values through cells (appendix F): a load takes what was last stored to its cell or loaded from it, and a
 * store is dropped if another one overwrites it before anything can read it. Two cells of one field may be the same
 * unless they are at different distances from a common cell.
 */
export const forwardValues = (
  kernel: Kernel,
  storage: Storage,
  dialects: readonly Dialect[],
  buffers: readonly Buffer[],
  footprint: (op: Op) => Footprint,
): Kernel => {
  const fieldOf = (op: Op): string => storage.layout.nodes[Number(op.attrs.node)].field!.name;
  const places = new Map<number, Place>();
  const placeOf = (v: Value): Place => places.get(v.id) ?? { base: v.id, bytes: 0 };
  const memory = new Memory();
  const forwarded = walkKernel(kernel, dialects, buffers, {
    around: (op, when) => {
      if (when === 'after' || op.name !== 'scf.if') for (const f of footprint(op).writes) memory.forget(f);
    },
    region: (_op, _index, when) => (when === 'enter' ? memory.enter() : memory.leave()),
    visit: (op) => {
      notePlace(op, places, placeOf);
      if (op.name === 'snode.load') {
        const place = placeOf(op.operands[0]);
        const held = memory.get(fieldOf(op), place);
        if (held) return [held];
        memory.set(fieldOf(op), place, op.results[0]);
      } else if (op.name === 'snode.store') {
        memory.store(fieldOf(op), placeOf(op.operands[1]), op.operands[0]);
      } else if (op.regions.length === 0) for (const f of footprint(op).writes) memory.forget(f);
      return undefined;
    },
  });
  const body = withoutDeadStores(forwarded.body, fieldOf, placeOf, footprint);
  return body === forwarded.body ? forwarded : { ...forwarded, body };
};

/** A distance from some cell. */
interface Place {
  readonly base: number;
  readonly bytes: number;
}

/** Children of one cell and offsets from them are at fixed distances; which child it is goes into the base. */
const notePlace = (op: Op, places: Map<number, Place>, placeOf: (v: Value) => Place): void => {
  if (op.name !== 'snode.offset' && op.name !== 'snode.child') return;
  const { base, bytes } = placeOf(op.operands[0]);
  places.set(op.results[0].id, { base, bytes: bytes + Number(op.attrs.bytes ?? 0) });
};

const keyOf = ({ base, bytes }: Place): string => `${base} ${bytes}`;

/** Values of places, by field. What a region learns is forgotten at its end; what it writes is for its owner to forget. */
class Memory {
  private readonly values = new ScopedMap<
    string,
    ReadonlyMap<string, { readonly place: Place; readonly value: Value }>
  >();

  get(field: string, place: Place): Value | undefined {
    return this.values.get(field)?.get(keyOf(place))?.value;
  }

  set(field: string, place: Place, value: Value): void {
    this.values.set(field, new Map([...(this.values.get(field) ?? []), [keyOf(place), { place, value }]]));
  }

  store(field: string, place: Place, value: Value): void {
    const apart = [...(this.values.get(field) ?? [])].filter(([, held]) => areApart(held.place, place));
    this.values.set(field, new Map(apart));
    this.set(field, place, value);
  }

  forget(field: string): void {
    this.values.set(field, new Map());
  }

  enter(): void {
    this.values.enter();
  }

  leave(): void {
    this.values.leave();
  }
}

const areApart = (a: Place, b: Place): boolean => a.base === b.base && a.bytes !== b.bytes;

const withoutDeadStores = (
  region: Region,
  fieldOf: (op: Op) => string,
  placeOf: (v: Value) => Place,
  footprint: (op: Op) => Footprint,
): Region => {
  /** Places that are written again further on, with no read in between. */
  const overwritten = new Map<string, Map<string, Place>>();
  const kept: Op[] = [];
  for (let n = region.ops.length - 1; n >= 0; n--) {
    const op = region.ops[n];
    if (op.name === 'snode.store') {
      const place = placeOf(op.operands[1]);
      const field = overwritten.get(fieldOf(op)) ?? new Map<string, Place>();
      overwritten.set(fieldOf(op), field);
      if (field.has(keyOf(place))) continue;
      field.set(keyOf(place), place);
    } else if (op.name === 'snode.load') {
      const field = overwritten.get(fieldOf(op));
      const place = placeOf(op.operands[0]);
      field?.forEach((other, key) => !areApart(other, place) && field.delete(key));
    } else for (const f of footprint(op).reads) overwritten.delete(f);
    kept.push(op);
  }
  const ops = mapShared(kept.length === region.ops.length ? region.ops : kept.reverse(), (op) =>
    mapRegions(op, (r) => withoutDeadStores(r, fieldOf, placeOf, footprint)),
  );
  return ops === region.ops ? region : { params: region.params, ops };
};
