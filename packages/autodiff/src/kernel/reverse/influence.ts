import {
  handedOn,
  partsOfGiven,
  receivedBy,
  type ControlOf,
  type Kernel,
  type Op,
  type OpTable,
  type Value,
} from '@filigree/ir';
import type { DerivativeTable } from '../../table/derivative.js';
import type { ElementOp, ElementOpOf } from '../elements/element-ops.js';
import { isGiven } from '../values/is-given.js';
import { iterationsOf } from './iterations.js';
import { rowOf } from '../values/rule.js';

/** What values influence by more than steps. */
export interface Influence {
  /** By the id of a value, a bit for each group of fields; `ANYTHING` where it is more than fields, and nothing where it is nothing. */
  readonly of: ReadonlyMap<number, bigint>;
  /** The bits of all that get what is differentiated. */
  readonly all: bigint;
  /** The fields of each bit. */
  readonly groups: readonly (readonly string[])[];
}

/** Components of a vector or matrix, `x_0` and `x_1`, are one group: mostly all of them are wanted, or none. */
const nameOfAll = (field: string): string => field.replace(/(_\d+)+$/, '');

/** The influence of what a kernel returns, or keeps in arrays of its own: on whatever there is. */
export const ANYTHING = -1n;

/**
 * What a kernel writes or returns that depends on each of its values by more than steps. Where that is nothing a value has no adjoint: it would be zero,
 * and zero times the derivative of what is no number is no number.
 *
 * @param active values that depend on what is differentiated
 */
export const influenceOf = (
  { body }: Kernel,
  opTable: OpTable,
  elementOf: ElementOpOf,
  controlOf: ControlOf,
  table: DerivativeTable,
  active: ReadonlySet<number>,
): Influence => {
  const found = new Map<number, bigint>();
  /** How often more was found. */
  let findings = 0;
  const mark = (v: Value, bits: bigint): void => {
    const before = found.get(v.id) ?? 0n;
    if ((before | bits) === before) return;
    found.set(v.id, before | bits);
    findings++;
  };
  const influence = (v: Value): bigint => found.get(v.id) ?? 0n;
  const together = (values: readonly Value[]): bigint => values.reduce((all, v) => all | influence(v), 0n);

  const groups = new Map<string, { readonly bit: bigint; readonly fields: Set<string> }>();
  const bitOf = (op: Op, { lasting, adjoint }: ElementOp, value: Value): bigint => {
    if (!lasting || !adjoint || !active.has(value.id)) return ANYTHING;
    const field = String(op.attrs.field);
    const group = groups.get(nameOfAll(field)) ?? { bit: 1n << BigInt(groups.size), fields: new Set() };
    groups.set(nameOfAll(field), group);
    group.fields.add(field);
    return group.bit | (read.get(nameOfAll(field)) ?? 0n);
  };
  /* What a kernel writes it may read, too: then it influences more than what comes after. */
  const read = new Map<string, bigint>();
  const isRead = ({ attrs, results }: Op, { lasting }: ElementOp): void => {
    if (!lasting) return;
    const name = nameOfAll(String(attrs.field));
    const [before, now] = [read.get(name) ?? 0n, together(results)];
    if ((before | now) === before) return;
    read.set(name, before | now);
    findings++;
  };

  const visit = (op: Op): void => {
    const element = elementOf(op);
    if (element) return element.value ? mark(element.value, bitOf(op, element, element.value)) : isRead(op, element);
    const all = together(op.results);
    if (isGiven(op)) return partsOfGiven(op).inputs.forEach((v) => mark(v, all));
    const control = controlOf(op);
    if (!control) {
      op.regions.forEach(inside);
      const { effects } = opTable.get(op.name)!;
      const whole = op.regions.length > 0 || effects(op).some((e) => e.kind !== 'read');
      const goesOn = rowOf(table, op)?.is !== 'zero' ? all : 0n;
      return op.operands.forEach((v) => mark(v, whole ? ANYTHING : goesOn));
    }
    const loop = iterationsOf(op, control);
    /* What a loop carries may reach what it is asked for in any iteration after. */
    for (let before = -1; before < findings;) {
      before = findings;
      for (const edge of control.edges) {
        const received = receivedBy(op, edge);
        handedOn(op, edge).forEach((v, n) => mark(v, influence(received[n])));
      }
      /* A counted loop ends with its state. */
      if (loop && !loop.condition)
        loop.state.forEach((v, n) => {
          const both = [v, loop.results[n]];
          both.forEach((one) => mark(one, together(both)));
        });
      op.regions.forEach(inside);
    }
  };
  const inside = ({ ops }: { readonly ops: readonly Op[] }): void => {
    for (let n = ops.length - 1; n >= 0; n--) visit(ops[n]);
  };
  body.ops[body.ops.length - 1].operands.forEach((v) => mark(v, ANYTHING));
  for (let before = -1; before < findings;) {
    before = findings;
    inside(body);
  }
  return {
    of: found,
    all: (1n << BigInt(groups.size)) - 1n,
    groups: [...groups.values()].map(({ fields }) => [...fields]),
  };
};
