import { bufferName, isVector, type Buffer, type Kernel, type Op, type Region, type Scalar } from '@filigree/ir';
import { constantOfOp } from '../support/constant-in.js';
import type { Facts } from '../support/facts.js';
import { isParallelLoop } from '../support/scratch.js';
import { MOST_ELEMENTS } from './write-out.js';

/** An element of an array of an iteration's own. */
export interface OwnElement {
  readonly buffer: Buffer;
  readonly at: number;
}

/** What a region does to elements, by number. */
export interface Touched {
  /** Read before it is certain that they were written. */
  readonly exposed: ReadonlySet<number>;
  readonly written: ReadonlySet<number>;
  /** Written whichever way control goes. */
  readonly sure: ReadonlySet<number>;
  /** Left by threads or lanes, each in its own, when it ends. */
  readonly spoiled: ReadonlySet<number>;
  /** Read when it may be spoiled. */
  readonly broken: ReadonlySet<number>;
}

/** The elements of a kernel that can be values: all of them, which one an op is about, and what ops with regions do to them. */
export interface OwnElements {
  readonly all: readonly OwnElement[];
  readonly elementOf: (op: Op) => number | undefined;
  readonly touched: (region: Region) => Touched;
}

/** The elements of those small scratch buffers of which all accesses name their element, and no iteration for a thread or a lane finds what others left. */
export const ownElements = (kernel: Kernel, buffers: readonly Buffer[], facts: Facts): OwnElements => {
  const small = new Map(
    buffers.filter((b) => b.role === 'scratch' && b.length <= MOST_ELEMENTS).map((b) => [b.name, b] as const),
  );
  const constants = new Map<number, Scalar>();
  const found = new Map<Op, { readonly buffer: string; readonly at: number }>();
  const lost = new Set<string>();
  const look = (region: Region, lose: boolean): void => {
    for (const op of region.ops) {
      const constant = constantOfOp(op, facts);
      if (constant !== undefined) constants.set(op.results[0]!.id, constant);
      const { reads, writes } = op.regions.length === 0 ? facts.footprint(op) : NOTHING;
      const named = typeof op.attrs['buffer'] === 'string' ? bufferName(op) : undefined;
      const buffer = named === undefined ? undefined : small.get(named);
      if (buffer) {
        const at = Number(constants.get(op.operands[op.operands.length - 1]?.id ?? -1));
        const plain = ACCESSES.has(op.name) && !op.results.concat(op.operands).some((v) => isVector(v.type));
        if (lose || !plain || !(at >= 0 && at < buffer.length)) lost.add(buffer.name);
        else found.set(op, { buffer: buffer.name, at });
      } else for (const name of [...reads.names, ...writes.names]) if (small.has(name)) lost.add(name);
      if (reads.any || writes.any) for (const name of small.keys()) lost.add(name);
      const known = op.regions.length === 0 || handsOn(op) || sharesOut(op, facts);
      for (const inner of op.regions) look(inner, lose || !known);
    }
  };
  look(kernel.body, false);
  for (;;) {
    const number = new Map<string, number>();
    const all: OwnElement[] = [];
    for (const { buffer: name, at } of found.values())
      if (!lost.has(name) && !number.has(`${name} ${at}`)) {
        number.set(`${name} ${at}`, all.length);
        all.push({ buffer: small.get(name)!, at });
      }
    const elementOf = (op: Op): number | undefined => {
      const element = found.get(op);
      return element && number.get(`${element.buffer} ${element.at}`);
    };
    const touched = touchedBy(elementOf, facts);
    const before = lost.size;
    /* A read that nothing has written to is left to whoever checks it. */
    const { exposed, broken } = touched(kernel.body);
    const shared = exposedInShared(kernel.body, touched, facts);
    for (const k of [...exposed, ...broken, ...shared]) lost.add(all[k]!.buffer.name);
    if (lost.size === before) return { all, elementOf, touched };
  }
};

const NOTHING = { reads: { any: false, names: new Set<string>() }, writes: { any: false, names: new Set<string>() } };

const ACCESSES: ReadonlySet<string> = new Set(['mem.load', 'mem.store']);

/** Whether values can be handed through the regions of an op. */
export const handsOn = ({ name, attrs }: Op): boolean =>
  name === 'scf.if' || name === 'scf.while' || (name === 'scf.for' && attrs['team'] !== true);

/** Whether iterations of an op are for threads, each with elements of its own, or for lanes, which leave to nobody what they write. */
export const sharesOut = (op: Op, facts: Facts): boolean =>
  op.attrs['team'] !== true && (isParallelLoop(op, facts) || (op.name === 'scf.for' && op.attrs['simd'] === true));

const touchedBy = (elementOf: (op: Op) => number | undefined, facts: Facts): ((region: Region) => Touched) => {
  const known = new WeakMap<Region, Touched>();
  const touched = (region: Region): Touched => {
    const seen = known.get(region);
    if (seen) return seen;
    const [exposed, written, sure, spoiled, broken] = Array.from({ length: 5 }, () => new Set<number>()) as [
      Set<number>,
      Set<number>,
      Set<number>,
      Set<number>,
      Set<number>,
    ];
    const read = (k: number): void => {
      if (spoiled.has(k)) broken.add(k);
      if (!sure.has(k)) exposed.add(k);
    };
    const write = (k: number): void => {
      written.add(k);
      sure.add(k);
      spoiled.delete(k);
    };
    for (const op of region.ops) {
      const k = elementOf(op);
      if (k !== undefined) {
        if (op.name === 'mem.load') read(k);
        else write(k);
      }
      if (op.regions.length === 0) continue;
      const inner = op.regions.map(touched);
      const [first, second] = inner as [Touched, Touched | undefined];
      first.exposed.forEach(read);
      for (const e of second?.exposed ?? []) if (op.name === 'scf.if' || !first.sure.has(e)) read(e);
      for (const w of first.sure)
        if (op.name === 'scf.while' || (op.name === 'scf.if' && second!.sure.has(w))) write(w);
      for (const t of inner) {
        t.written.forEach((w) => written.add(w));
        t.broken.forEach((w) => broken.add(w));
        t.spoiled.forEach((w) => spoiled.add(w));
      }
      if (op.name === 'scf.if') continue;
      /* What an iteration leaves spoiled the next one may read. */
      for (const t of inner) for (const e of t.exposed) if (inner.some((o) => o.spoiled.has(e))) broken.add(e);
      if (!sharesOut(op, facts)) continue;
      for (const w of first.written) {
        spoiled.add(w);
        sure.delete(w);
      }
    }
    const all = { exposed, written, sure, spoiled, broken };
    known.set(region, all);
    return all;
  };
  return touched;
};

/** What threads read before they write it, and what lanes do that others write. */
const exposedInShared = (region: Region, touched: (region: Region) => Touched, facts: Facts): readonly number[] =>
  region.ops.flatMap((op) =>
    op.regions.flatMap((r) => {
      const { exposed, written } = touched(r);
      const here = sharesOut(op, facts) ? [...exposed].filter((k) => isParallelLoop(op, facts) || written.has(k)) : [];
      return [...here, ...exposedInShared(r, touched, facts)];
    }),
  );
