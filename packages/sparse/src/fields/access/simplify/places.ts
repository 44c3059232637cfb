import type { Builder, Op, Value } from '@filigree/ir';
import { nodeOf } from '../../layout/layout.js';
import { nodeStorage, type Storage } from '../../storage/storage.js';
import { guardsOf, isWritten, outsideKey } from '../guards.js';
import { ambientValue } from '../lower/ambient.js';

/** A distance from some cell. */
export interface Place {
  readonly base: number;
  readonly bytes: number;
  /** What must hold for something to be there. */
  readonly guards?: string;
  /** Where the cell may be one of those that take what is written out of bounds. */
  readonly written?: boolean;
}

/** What is known to be at a place. */
export interface Held {
  readonly place: Place;
  readonly value: Value;
}

/** A place as an op with guards uses it. */
export const guardedPlace = (op: Op, place: Place): Place => {
  const guards = guardsOf(op);
  return guards.length === 0 ? place : { ...place, guards: guards.map((g) => g.id).join() };
};

/** Places by what was made of cells. */
export class Places {
  private readonly places = new Map<number, Place>();
  private readonly definitions = new Map<number, Op>();
  /** The first lookup with some operands, of those that may be out of bounds: one that reads and one that writes find one element. */
  private readonly lookups = new Map<string, Op>();

  of(v: Value): Place {
    return this.places.get(v.id) ?? { base: v.id, bytes: 0 };
  }

  /** Children of one cell and offsets from them are at fixed distances; which child it is goes into the base. */
  note(op: Op): void {
    if (op.name === 'snode.linearize') this.definitions.set(op.results[0].id, op);
    if (op.name === 'snode.offset' || op.name === 'snode.child') {
      const place = this.of(op.operands[0]);
      this.places.set(op.results[0].id, { ...place, bytes: place.bytes + Number(op.attrs.bytes ?? 0) });
    } else if (op.name === 'snode.lookup' && outsideKey(op) !== '') {
      const place = [...op.operands.slice(0, 2), ...guardsOf(op)].map((v) => v.id).join();
      const key = `${String(op.attrs.node)} ${place}`;
      const first = this.lookups.get(key) ?? op;
      this.lookups.set(key, first);
      const base = first.results[0].id;
      this.definitions.set(base, first);
      this.places.set(op.results[0].id, { base, bytes: 0, written: isWritten(op) });
    }
  }

  /** What was written to an element, or the ambient value if it is out of bounds; undefined where it is not known when that is. */
  orAmbient({ place, value }: Held, load: Op, storage: Storage, b: Builder): Value | undefined {
    const lookup = this.definitions.get(place.base);
    const number = lookup && this.definitions.get(lookup.operands[1].id);
    if (!lookup || !number) return undefined;
    const { node, row } = nodeStorage(storage, lookup);
    if (row === 0) return undefined;
    const digits = node.axes.map((axis, n) => b.cmp('lt', number.operands[n], b.i32(node.extents[axis])));
    const tests = [...guardsOf(lookup), ...(lookup.attrs.past === true ? digits : [])];
    return b.select(tests.reduce(b.and), value, ambientValue({ b, storage }, nodeOf(storage.layout, load)!.id));
  }
}
