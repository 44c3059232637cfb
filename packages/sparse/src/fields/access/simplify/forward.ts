import type { Buffer, Dialect, Kernel, Op, Region } from '@filigree/ir';
import { mapRegions, mapShared } from '@filigree/ir';
import { elementMap, type ElementPlace } from '@filigree/opt';
import { nodeOf } from '../../layout/layout.js';
import type { Storage } from '../../storage/storage.js';
import type { Footprint } from './effects.js';
import { guardedPlace, Places, type Held, type Place } from './places.js';
import { walkKernel } from './walker.js';

/**
 * Forwards values through cells (appendix F): a load takes what was last stored to its cell or loaded from it, and a
 * store is dropped if another one overwrites it before anything can read it. Two cells of one field may be the same
 * unless they are at different distances from a common cell. What is stored to an element that may be out of bounds is the ambient
 * value there.
 */
export const forwardValues = (
  kernel: Kernel,
  storage: Storage,
  dialects: readonly Dialect[],
  buffers: readonly Buffer[],
  footprint: (op: Op) => Footprint,
): Kernel => {
  const places = new Places();
  /** The cell that an op reads or writes. */
  const placeOf = (op: Op): Place => guardedPlace(op, places.of(op.operands[op.name === 'snode.load' ? 0 : 1]));
  const fieldOf = (op: Op): string => nodeOf(storage.layout, op)!.field!.name;
  /** Values of cells. What a region learns is forgotten at its end; what it writes is for its owner to forget. */
  const memory = elementMap<Held>();
  const marks: number[] = [];
  const forwarded = walkKernel(kernel, dialects, buffers, {
    around: (op, when) => {
      if (when === 'after' || op.name !== 'scf.if') memory.forgetBuffers(fields(footprint(op).writes));
    },
    region: (_op, _index, when) => (when === 'enter' ? void marks.push(memory.mark()) : memory.rollback(marks.pop()!)),
    visit: (op, b) => {
      places.note(op);
      if (op.name === 'snode.load') {
        const place = placeOf(op);
        const cell = elementAt(fieldOf(op), place);
        const known = memory.get(cell);
        const held = known?.place.guards === place.guards ? known : undefined;
        if (held && (!held.place.written || place.written)) return [held.value];
        const value = held && places.orAmbient(held, op, storage, b);
        memory.set(cell, { place, value: value ?? op.results[0] });
        if (value) return [value];
      } else if (op.name === 'snode.store') {
        const place = placeOf(op);
        const cell = elementAt(fieldOf(op), place);
        const { stored } = nodeOf(storage.layout, op)!;
        if (stored) memory.forgetBuffers(fields(footprint(op).writes));
        else memory.forgetOverlaps(cell);
        /* Where a guard is false nothing is stored, and the ambient value is loaded; and what is stored in a format is not loaded as it was. */
        if (place.guards === undefined && !stored) memory.set(cell, { place, value: op.operands[0] });
      } else if (op.regions.length === 0) memory.forgetBuffers(fields(footprint(op).writes));
      return undefined;
    },
  });
  const sharesWord = (op: Op): boolean => nodeOf(storage.layout, op)!.stored?.shared === true;
  const body = withoutDeadStores(forwarded.body, { fieldOf, placeOf, sharesWord, footprint });
  return body === forwarded.body ? forwarded : { ...forwarded, body };
};

/** A cell as maps of elements know it: by its field and its distance from some other. */
const elementAt = (field: string, { base, bytes }: Place): ElementPlace => ({
  buffer: field,
  terms: String(base),
  offset: BigInt(8 * bytes),
  bits: 64,
  lanes: 1,
});

const fields = (names: ReadonlySet<string>): { readonly any: boolean; readonly names: ReadonlySet<string> } => ({
  any: false,
  names,
});

/** What is asked of accesses. */
interface Accesses {
  readonly fieldOf: (op: Op) => string;
  readonly placeOf: (op: Op) => Place;
  /** A store to a word that fields share also reads it, and the codes of the others may depend on what is stored. */
  readonly sharesWord: (op: Op) => boolean;
  readonly footprint: (op: Op) => Footprint;
}

const withoutDeadStores = (region: Region, accesses: Accesses): Region => {
  const { fieldOf, placeOf, sharesWord, footprint } = accesses;
  /** Cells that are written again further on, with no read in between, as they are then. */
  const overwritten = elementMap<Place>();
  const kept: Op[] = [];
  for (let n = region.ops.length - 1; n >= 0; n--) {
    const op = region.ops[n];
    if (op.name === 'snode.store' && !sharesWord(op)) {
      const place = placeOf(op);
      const cell = elementAt(fieldOf(op), place);
      const later = overwritten.get(cell);
      if (later && (later.guards === undefined || later.guards === place.guards)) continue;
      overwritten.set(cell, place);
    } else if (op.name === 'snode.load') overwritten.forgetOverlaps(elementAt(fieldOf(op), placeOf(op)));
    else overwritten.forgetBuffers(fields(footprint(op).reads));
    kept.push(op);
  }
  const ops = mapShared(kept.length === region.ops.length ? region.ops : kept.reverse(), (op) =>
    mapRegions(op, (r) => withoutDeadStores(r, accesses)),
  );
  return ops === region.ops ? region : { params: region.params, ops };
};
