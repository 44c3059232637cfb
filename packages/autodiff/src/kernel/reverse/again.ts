import { opWith, walk, type Builder, type Op, type OpTable, type Region, type Value } from '@filigree/ir';
import type { ElementOpOf } from '../elements/element-ops.js';
import { isGiven, takenAt } from '../values/is-given.js';
import type { Found } from '../keep/kept-reads.js';
import { lostValue, type Loss } from '../keep/lost.js';
import type { Overwritten } from '../keep/overwrites.js';

/** Values of the primal kernel as they are in its adjoint, by id. */
export type Known = Map<number, Value>;

/** Computes what an op computes in a way of its own; false where it does not. */
export type Instead = (b: Builder, op: Op, known: Known) => boolean;

/** Computes values of the primal kernel again, without its effects. */
export interface Again {
  /** Appends what the ops of a region compute, but for its terminator. `instead` may do so for some of them. */
  readonly region: (b: Builder, region: Region, known: Known, instead?: Instead) => void;
  readonly value: (known: Known, v: Value) => Value;
}

/** Sums that a kernel makes in memory of its own, and that are made again when it is run again from the top. */
export interface Remade {
  /** The body of the kernel, in which they are made: in the regions that are reversed they are there already. */
  readonly body: Region | undefined;
  readonly places: ReadonlySet<string>;
}

/**
 * @param matters whether anything that is wanted depends on a value
 * @param overwritten what is known of elements that outlive the kernel and that it overwrites
 * @param found what is kept of what is read and overwritten
 * @param written places that the kernel itself writes and that nobody keeps: what is loaded from them is not known any more
 */
export const againIn = (
  table: OpTable,
  elementOf: ElementOpOf,
  written: ReadonlySet<string>,
  matters: (v: Value) => boolean,
  remade: Remade = { body: undefined, places: new Set() },
  overwritten?: Overwritten,
  found?: Found,
): Again => {
  let making = false;
  const makes = (op: Op): boolean => {
    const element = elementOf(op);
    return element !== undefined && element.does !== 'load' && remade.places.has(element.place);
  };
  const makesWithin = (op: Op): boolean => makes(op) || op.regions.some((r) => someOp(r, makes));
  const writes = (op: Op): boolean =>
    table
      .get(op.name)!
      .effects(op)
      .some((e) => e.kind !== 'read');
  const value = (known: Known, v: Value): Value => {
    const now = known.get(v.id);
    if (!now) throw new Error(`value ${v.id} is not in scope`);
    return now;
  };

  const region = (b: Builder, source: Region, known: Known, instead?: Instead): void => {
    const before = making;
    if (source === remade.body) making = true;
    statements(b, source, known, instead);
    making = before;
  };

  const statements = (b: Builder, { ops }: Region, known: Known, instead?: Instead): void => {
    for (const op of ops) {
      if (table.get(op.name)!.traits.terminator === true) continue;
      b.loc = op.loc;
      if (!instead?.(b, op, known)) again(b, op, known);
    }
  };

  const again = (b: Builder, op: Op, known: Known): void => {
    if (op.results.length === 0 && op.regions.length === 0 && !(making && makes(op))) {
      if (table.get(op.name)!.traits.hint === true)
        b.append(opWith(op, { operands: op.operands.map((v) => value(known, v)) }));
      return;
    }
    if (making && makesWithin(op)) return copy(b, op, known);
    if (op.results.length === 0) return;
    if (isGiven(op)) {
      const at = takenAt(op, matters);
      return op.results.forEach((r, n) => void known.set(r.id, value(known, at[n])));
    }
    const element = elementOf(op);
    if (writes(op)) return lose(b, op, known, returnedBy(op));
    if (element?.does === 'load' && written.has(element.place) && !remade.places.has(element.place))
      return lose(b, op, known, {
        why: `a value that lay in ${element.place} meanwhile`,
        remedy: 'keep it in a field',
      });
    const before = element?.does === 'load' ? found?.(b, op, (v) => value(known, v)) : undefined;
    if (before) return void known.set(op.results[0].id, before);
    const loss = element?.does === 'load' ? overwritten?.lossOf(op) : undefined;
    if (loss) return lose(b, op, known, loss);
    copy(b, op, known);
  };

  const copy = (b: Builder, op: Op, known: Known): void => {
    const results = op.results.map((r) => b.newValue(r.type, r.hint));
    const regions = op.regions.map((r) => copyRegion(b, r, new Map(known)));
    b.append(opWith(op, { operands: op.operands.map((v) => value(known, v)), regions, results }));
    op.results.forEach((r, n) => known.set(r.id, overwritten?.inTheEnd(b, r, (v) => value(known, v)) ?? results[n]));
  };

  const copyRegion = (b: Builder, source: Region, known: Known): Region => {
    const params = source.params.map((p) => b.newValue(p.type, p.hint));
    source.params.forEach((p, n) => known.set(p.id, params[n]));
    const { ops } = b.collect(() => {
      region(b, source, known);
      const end = source.ops[source.ops.length - 1];
      b.append(opWith(end, { operands: end.operands.map((v) => value(known, v)) }));
    });
    return { params, ops };
  };

  const lose = (b: Builder, op: Op, known: Known, loss: Loss): void =>
    op.results.forEach((r) => known.set(r.id, lostValue(b, r, loss)));

  return { region, value };
};

/** What an op that writes has returned, which another run of it would not return again. */
const returnedBy = ({ name, attrs }: Op): Loss => {
  if (name === 'field.append')
    return {
      why: 'the place in a list that an append has returned',
      remedy:
        'append in a loop over numbers or over elements that lie within ends, or once in each iteration, in a program with fields of its own; or append indices, and compute from these in a kernel of its own, by a loop over the list',
    };
  if (attrs.kind !== undefined)
    return {
      why: 'what an element held before an atomic update',
      remedy: 'count in a kernel that is launched before, and keep the numbers in a field',
    };
  return {
    why: `what '${name}' has returned, which writes`,
    remedy: 'compute it in another way, or in a kernel of its own',
  };
};

const someOp = (region: Region, holds: (op: Op) => boolean): boolean => {
  let found = false;
  walk(region, (op) => void (found ||= holds(op)));
  return found;
};

/** What ops of a region write that does not outlive the launch, as messages call it. */
export const passingWrites = (region: Region, elementOf: ElementOpOf): ReadonlySet<string> => {
  const places = new Set<string>();
  walk(region, (op) => {
    const element = elementOf(op);
    if (element && !element.lasting && element.does !== 'load') places.add(element.place);
  });
  return places;
};
