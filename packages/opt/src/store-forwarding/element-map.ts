import type { Access } from '@filigree/ir';
import type { AffineForms } from '../support/affine.js';
import type { BufferSet } from '../support/facts.js';

/** A run of elements of a buffer: `lanes` of them from an affine index on. */
export interface Place {
  readonly buffer: string;
  readonly terms: string;
  readonly offset: bigint;
  readonly bits: number;
  readonly lanes: number;
}

/** The elements of an access, as the form of its index says: of the last where there are several, if the others are the same. */
export const placeOf = ({ place: buffer, index, count: lanes }: Access, forms: AffineForms): Place => {
  const all = index.map(forms.of);
  const { terms, offset, bits } = all.pop() ?? nowhere;
  const row = all.map((f) => `${f.terms}+${f.offset},`).join('');
  return { buffer, terms: row + (terms === '' ? '' : `${bits}:${terms}`), offset, bits, lanes };
};

/* The only element of what has no index. */
const nowhere = { terms: '', offset: 0n, bits: 64 };

/** What is known about places, with a way back to an earlier state. Every step costs amortised constant time. */
export interface ElementMap<T> {
  readonly get: (place: Place) => T | undefined;
  readonly set: (place: Place, fact: T) => void;
  /** Forgets what may overlap with a place. Of two indices with equal linear part the offsets decide; others may be equal. */
  readonly forgetOverlaps: (place: Place) => void;
  readonly forgetBuffers: (set: BufferSet) => void;
  readonly mark: () => number;
  readonly rollback: (mark: number) => void;
}

interface Entry<T> {
  readonly lanes: number;
  readonly fact: T;
}

type Offsets<T> = Map<bigint, Entry<T>>;
type Bases<T> = Map<string, Offsets<T>>;

export const elementMap = <T>(): ElementMap<T> => {
  const buffers = new Map<string, Bases<T>>();
  const trail: (() => void)[] = [];
  /** The widest access so far: how far before a place an overlapping one can begin. */
  let widest = 1;

  const assign = <K, V>(map: Map<K, V>, key: K, value: V | undefined): void => {
    const old = map.get(key);
    trail.push(() => void (old === undefined ? map.delete(key) : map.set(key, old)));
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  };
  const offsetsOf = (p: Place): Offsets<T> | undefined => buffers.get(p.buffer)?.get(p.terms);

  return {
    get: (p) => {
      const entry = offsetsOf(p)?.get(p.offset);
      return entry?.lanes === p.lanes ? entry.fact : undefined;
    },
    set: (p, fact) => {
      if (p.lanes > widest) widest = p.lanes;
      let bases = buffers.get(p.buffer);
      if (!bases) assign(buffers, p.buffer, (bases = new Map()));
      let offsets = bases.get(p.terms);
      if (!offsets) assign(bases, p.terms, (offsets = new Map()));
      assign(offsets, p.offset, { lanes: p.lanes, fact });
    },
    forgetOverlaps: (p) => {
      const bases = buffers.get(p.buffer);
      if (!bases) return;
      const offsets = bases.get(p.terms);
      if (bases.size > (offsets ? 1 : 0))
        assign(buffers, p.buffer, offsets ? new Map([[p.terms, offsets]]) : undefined);
      if (!offsets) return;
      for (let d = 1 - widest; d < p.lanes; d++) {
        const at = BigInt.asIntN(p.bits, p.offset + BigInt(d));
        const entry = offsets.get(at);
        if (entry && d + entry.lanes > 0) assign(offsets, at, undefined);
      }
    },
    forgetBuffers: (set) => {
      for (const b of set.any ? [...buffers.keys()] : set.names) if (buffers.has(b)) assign(buffers, b, undefined);
    },
    mark: () => trail.length,
    rollback: (mark) => {
      while (trail.length > mark) trail.pop()!();
    },
  };
};
