import {
  Builder,
  highestId,
  idsFrom,
  isLoop,
  opWith,
  walk,
  type ControlOf,
  type Kernel,
  type Op,
  type OpTable,
  type Region,
  type Value,
} from '@filigree/ir';
import type { Accesses, Use } from '../elements/accesses.js';
import { isLoad } from '../indices/index-keys.js';
import type { IntegerForms } from '../indices/integer-forms.js';

/** A number that an iteration of a loop has, from `least` on, and how many there may be; of one that counts up on and on all beyond these are the last. */
export interface Digit {
  readonly value: Value;
  readonly least: number;
  readonly extent: number;
  readonly isOpen?: true;
}

/** The counters of a loop that counts between numbers, or runs over a box of them; nothing of another one, which is open: nobody knows how many iterations it has. */
export const digitsOfLoop = (op: Op, controlOf: ControlOf, forms: IntegerForms): readonly Digit[] | undefined => {
  const control = controlOf(op)!;
  const { params } = op.regions[0];
  const counter = control.count?.counter;
  if (counter === undefined && control.parallel !== true) return undefined;
  const digits = (counter === undefined ? params : [params[counter]]).map((value) => {
    const [least, most] = forms.liesIn(value);
    return { value, least, extent: Math.max(1, most - least + 1) };
  });
  return digits.every(({ extent }) => Number.isFinite(extent)) ? digits : undefined;
};

/** The loops around an op: those from the first that is open to the last that is open, or has open ones in it, and those around and within them. */
interface LoopsAround {
  readonly outer: readonly Op[];
  readonly open: readonly Op[];
  readonly inner: readonly Op[];
}

/** What is known of the open loops of a kernel. */
interface OpenLoops {
  readonly around: (parents: readonly Op[]) => LoopsAround;
  /** Whether an op is an open loop or has such in it. */
  readonly holds: (op: Op) => boolean;
}

const openLoops = ({ body }: Kernel, controlOf: ControlOf, forms: IntegerForms): OpenLoops => {
  const isOpen = new Set<Op>();
  const holding = new Set<Op>();
  const isALoop = (op: Op): boolean => {
    const control = controlOf(op);
    return control !== undefined && isLoop(control);
  };
  walk(body, (op, parents) => {
    if (!isALoop(op) || digitsOfLoop(op, controlOf, forms)) return;
    isOpen.add(op);
    for (const p of [...parents, op]) holding.add(p);
  });
  return {
    holds: (op) => holding.has(op),
    around: (parents) => {
      const loops = parents.filter(isALoop);
      const first = loops.findIndex((op) => isOpen.has(op));
      if (first < 0) return { outer: loops, open: [], inner: [] };
      const end = loops.findLastIndex((op) => holding.has(op)) + 1;
      return { outer: loops.slice(0, first), open: loops.slice(first, end), inner: loops.slice(end) };
    },
  };
};

/** A kernel whose open loops count their iterations. */
export interface Numbered {
  readonly kernel: Kernel;
  /** The number that each time has in which a region of such a loop runs: of all that are within one outermost open loop it is another one. */
  readonly numbers: ReadonlyMap<Region, Value>;
  /** The number that an outermost one ends with. */
  readonly ends: ReadonlyMap<Op, Value>;
  /** How many numbers there are; loops that ask end where there are no more. */
  readonly most: number;
}

/**
 * Lets open loops carry a number, so that what is read in each iteration can be kept where the number says. Nothing where nothing is read in one that the kernel writes, where open loops run at once, or are
 * of a kind that cannot carry it.
 *
 * @param room for how many numbers that are read there is room
 */
export const numberLoops = (
  kernel: Kernel,
  table: OpTable,
  controlOf: ControlOf,
  { uses, forms }: Accesses,
  room: number,
): Numbered | undefined => {
  const { around, holds } = openLoops(kernel, controlOf, forms);
  const written = new Set(uses.flatMap(({ op, writes }) => (writes ? [op.attrs.field] : [])));
  const reads = uses.filter(({ op, parents }) => isLoad(op.name) && written.has(op.attrs.field) && parents.some(holds));
  const outermost = new Set(reads.flatMap(({ parents }) => around(parents).open.slice(0, 1)));
  const carrying = [...outermost].flatMap((op) => [op, ...opsWithin(op).filter(holds)]);
  if (outermost.size === 0 || !carrying.every(({ name, attrs }) => CARRYING.has(name) && attrs.parallel !== true))
    return undefined;
  const timesOf = ({ parents }: Use): number => {
    const { outer, inner } = around(parents);
    const digits = [...outer, ...inner].flatMap((op) => digitsOfLoop(op, controlOf, forms)!);
    return digits.reduce((n, { extent }) => n * extent, 1);
  };
  const most = Math.floor(room / reads.reduce((n, read) => n + timesOf(read), 0));
  if (most < 1) return undefined;

  const b = new Builder(table, new Map(), idsFrom(highestId(kernel) + 1));
  const numbers = new Map<Region, Value>();
  const ends = new Map<Op, Value>();
  const isSearched = (op: Op): boolean => outermost.has(op) || opsWithin(op).some((o) => outermost.has(o));

  const outside = (region: Region): Region => {
    const { ops } = b.collect(() => {
      for (const op of region.ops) {
        b.loc = op.loc;
        if (outermost.has(op)) {
          const made = loop(op, b.i32(0));
          b.append(made);
          ends.set(made, made.results[made.results.length - 1]);
        } else b.append(isSearched(op) ? opWith(op, { regions: op.regions.map(outside) }) : op);
      }
    });
    return { params: region.params, ops };
  };
  /** A region that takes a number, and hands on the one that it comes to, or the next. */
  const inside = (region: Region, given: Value | undefined, from: Value, asks: boolean, step: number): Region => {
    const { ops } = b.collect(() => {
      let n = from;
      for (const op of region.ops.slice(0, -1)) {
        b.loc = op.loc;
        if (!holds(op)) {
          b.append(op);
          continue;
        }
        const made = op.name === 'scf.if' ? branch(op, n) : loop(op, b.add(n, b.i32(1)));
        b.append(made);
        const came = made.results[made.results.length - 1];
        n = op.name === 'scf.if' ? came : b.add(came, b.i32(1));
      }
      const end = region.ops[region.ops.length - 1];
      const [first, ...others] = end.operands;
      const handed = asks ? [b.and(first, b.cmp('lt', n, b.i32(most))), ...others] : end.operands;
      b.append(opWith(end, { operands: [...handed, step === 0 ? n : b.add(n, b.i32(step))] }));
    });
    return { params: given ? [...region.params, given] : region.params, ops };
  };
  const numbered = (region: Region, asks: boolean, step: number): Region => {
    const given = b.newValue('i32', 'number');
    const made = inside(region, given, given, asks, step);
    numbers.set(made, given);
    return made;
  };
  const loop = (op: Op, from: Value): Op =>
    opWith(op, {
      operands: [...op.operands, from],
      regions:
        op.name === 'scf.while'
          ? [numbered(op.regions[0], true, 0), numbered(op.regions[1], false, 1)]
          : [numbered(op.regions[0], false, 1)],
      results: [...op.results, b.newValue('i32', 'number')],
    });
  const branch = (op: Op, from: Value): Op =>
    opWith(op, {
      regions: op.regions.map((arm) => inside(arm, undefined, from, false, 0)),
      results: [...op.results, b.newValue('i32', 'number')],
    });
  return { kernel: { ...kernel, body: outside(kernel.body) }, numbers, ends, most };
};

/** Ops that a number can be carried through. */
const CARRYING: ReadonlySet<string> = new Set(['scf.if', 'scf.for', 'scf.while']);

const opsWithin = ({ regions }: Op): readonly Op[] => {
  const all: Op[] = [];
  for (const region of regions) walk(region, (op) => void all.push(op));
  return all;
};

/** What tells the iterations of the loops around an access from each other; nothing where it is not known how many there may be. */
export const digitsAround = (
  { parents, op }: Use,
  controlOf: ControlOf,
  forms: IntegerForms,
  numbered: Numbered | undefined,
): readonly Digit[] | undefined => {
  const around = [...parents, op];
  const numbers = parents.map((p, n) =>
    numbered?.numbers.get(p.regions.find(({ ops }) => ops.includes(around[n + 1]))!),
  );
  const first = numbers.findIndex((v) => v !== undefined);
  const last = numbers.findLastIndex((v) => v !== undefined);
  const digits = parents.flatMap((loop, n): readonly (Digit | undefined)[] => {
    if (n === last) return [{ value: numbers[n]!, least: 0, extent: numbered!.most, isOpen: true }];
    const control = controlOf(loop);
    if (!control || !isLoop(control) || (n >= first && n < last)) return [];
    return digitsOfLoop(loop, controlOf, forms) ?? [undefined];
  });
  return digits.every((d) => d !== undefined) ? digits : undefined;
};
