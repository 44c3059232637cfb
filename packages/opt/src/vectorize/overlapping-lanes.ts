import { byteSize, scalarOf, walk, type Kernel, type Op, type Region, type Value } from '@filigree/ir';
import { affineForms, type AffineForm, type AffineForms } from '../support/affine.js';
import { constantOfOp } from '../support/constant-in.js';
import { corePass } from '../support/core-pass.js';
import type { Facts } from '../support/facts.js';
import { loadStoreOf } from '../support/load-store.js';
import { takesLanes } from '../support/takes-lanes.js';
import { counterOf, offLanes } from './off-lanes.js';

/**
 * Keeps loops off lanes that would read over what they have just stored, as relaxation in place does: each stores its own element and reads
 * the one before. A vector that lies half on what the last one stored and half on older memory cannot be handed on from the queue of stores, so
 * the processor waits until that is written, once in each vector. One element is handed on at once. Lanes cost more there than they
 * gain: 1.1 to 3 times the time of one iteration after the other, square roots and divisions included, with 16 to 64 bytes alike.
 * Such a loop says `lanes = 1`, and so do the others around it that read neighbours of what they write in the same array, as those at the edges
 * of a block do: what is stored one by one is not handed on to vectors either. It stays a loop that might run on lanes: its choices compute both sides, which is
 * quicker than a branch in each iteration.
 *
 * It is the other way round where much is computed from what is handed on before it is stored, as in words of few bits, which are taken apart, rounded and put together: one iteration
 * after the other waits for all of that each time, lanes wait once for many (a stencil on fields that lie in one word: 11 times as fast on lanes of 64 bytes, 2.5 times on 16).
 */
export const overlappingLanes = corePass('overlapping-lanes', {}, (dialects) => offLanes(dialects, overlapping));

/** Bytes that lanes take at once, at the most: a line of memory, and so many registers as that is. */
const LINE = 64n;

/** So many ops from what is read to what is stored, about four cycles each, take longer than lanes wait. */
const LONG = 12;

/** The counters of such loops. */
const overlapping = ({ body }: Kernel, facts: Facts): ReadonlySet<number> => {
  const asked = new Set<Op>();
  findInPlace(body, asked);
  if (asked.size === 0) return new Set();
  const forms = affineForms();
  const all: InPlace[] = [];
  const visit = (region: Region, around: readonly number[]): void => {
    for (const op of region.ops) {
      forms.note(op, constantOfOp(op, facts));
      for (const inner of op.regions) visit(inner, op.name === 'scf.for' ? [...around, counterOf(op)] : around);
      if (asked.has(op)) all.push(inPlaceOf(op, around, forms));
    }
  };
  visit(body, []);
  const over = all.filter((loop) => loop.over.size > 0);
  const isBeside = ({ around, near }: InPlace): boolean =>
    over.some((o) => o.around.includes(around.at(-1) ?? NO_LOOP) && [...o.over].some((buffer) => near.has(buffer)));
  return new Set(all.filter((loop) => loop.over.size > 0 || isBeside(loop)).map(({ counter }) => counter));
};

const NO_LOOP = -1;

/** A loop for lanes, what the loops around it count, the outermost first, and the arrays that it relaxes in place. */
interface InPlace {
  readonly counter: number;
  readonly around: readonly number[];
  /** Arrays of which it reads neighbours of what it writes. */
  readonly near: ReadonlySet<string>;
  /** Those among them of which it reads what it has just written. */
  readonly over: ReadonlySet<string>;
}

/** Finds loops for lanes that read arrays that they write. */
const findInPlace = (region: Region, found: Set<Op>): void => {
  for (const op of region.ops) {
    if (op.name !== 'scf.for' || op.attrs['simd'] === false || op.attrs['lanes'] === 1 || !takesLanes(op)) {
      for (const inner of op.regions) findInPlace(inner, found);
      continue;
    }
    const buffers = { load: new Set<string>(), store: new Set<string>() };
    walk(op.regions[0]!, (inner) => {
      const access = loadStoreOf(inner);
      if (access) buffers[access.kind].add(bufferOf(inner));
    });
    if ([...buffers.store].some((buffer) => buffers.load.has(buffer))) found.add(op);
  }
};

const bufferOf = (op: Op): string => String(op.attrs['buffer']);

const inPlaceOf = (loop: Op, around: readonly number[], forms: AffineForms): InPlace => {
  const counter = counterOf(loop);
  const [from, to, step] = loop.operands.map((v) => forms.of(v));
  const trips = from!.terms === to!.terms ? to!.offset - from!.offset : undefined;
  const near = new Set<string>();
  const over = new Set<string>();
  const found = { counter, around, near, over };
  if (step!.terms !== '' || step!.offset !== 1n) return found;
  const loads: Access[] = [];
  const stores: Access[] = [];
  walk(loop.regions[0]!, (op) => {
    const access = loadStoreOf(op);
    const stride = access && forms.coefficients(access.index).get(counter);
    if (!access || (stride !== 1n && stride !== -1n)) return;
    const form = forms.of(access.index);
    const size = BigInt(byteSize(scalarOf(access.element.type)));
    const rows = around.map((id) => forms.coefficients(access.index).get(id));
    (access.kind === 'load' ? loads : stores).push({
      buffer: bufferOf(op),
      form,
      stride,
      size,
      rows,
      element: access.element,
    });
  });
  for (const { buffer, form, stride, size, rows, element } of stores)
    for (const load of loads) {
      if (load.buffer !== buffer || load.form.terms !== form.terms || load.form.offset === form.offset) continue;
      near.add(buffer);
      const back = (form.offset - load.form.offset) * stride;
      if (back <= 0n || back * size >= LINE) continue;
      /* Lanes that take all iterations at once read over what they stored the last time, if that is next to it. */
      const once = trips !== undefined && trips * size <= LINE;
      if (!once || rows.some((r) => r !== undefined && (r < 0n ? -r : r) < trips + back))
        if (stepsFrom(load.element, element, loop.regions[0]!) < LONG) over.add(buffer);
    }
  return found;
};

/** The most ops one after the other, each of which takes what the last one gave, from one value of an iteration to another. */
const stepsFrom = (from: Value, to: Value, iteration: Region): number => {
  const steps = new Map([[from.id, 0]]);
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      op.regions.forEach(visit);
      const given = [...op.operands, ...op.regions.flatMap((r) => r.ops.at(-1)?.operands ?? [])];
      const most = Math.max(...given.map((v) => steps.get(v.id) ?? -1));
      if (most >= 0) for (const r of op.results) steps.set(r.id, most + 1);
    }
  };
  visit(iteration);
  return steps.get(to.id) ?? 0;
};

/** An access to elements that lie side by side. */
interface Access {
  readonly buffer: string;
  readonly form: AffineForm;
  /** Elements from one iteration to the next, and bytes of one. */
  readonly stride: bigint;
  readonly size: bigint;
  /** The same for the loops around. */
  readonly rows: readonly (bigint | undefined)[];
  /** What is loaded or stored. */
  readonly element: Value;
}
