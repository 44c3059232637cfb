import {
  fail,
  handedOn,
  isFloat,
  partsOfGiven,
  receivedBy,
  type ControlOf,
  type Kernel,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import type { DerivativeTable } from '../../table/derivative.js';
import type { ElementOp, ElementOpOf } from '../elements/element-ops.js';
import { isGiven } from './is-given.js';
import { rowOf, type Mode } from './rule.js';

/**
 * Which values, by id, depend on what is differentiated by more than steps: floats from elements that have adjoints and from
 * scalar arguments. Others have no adjoint, and code is not made for them.
 */
export const activeValues = (
  kernel: Kernel,
  elementOf: ElementOpOf,
  controlOf: ControlOf,
  table: DerivativeTable,
  mode: Mode,
): ReadonlySet<number> => {
  const active = new Set<number>();
  const mark = (v: Value): void => {
    if (isFloat(v.type)) active.add(v.id);
  };
  const visit = (op: Op): void => {
    const element = elementOf(op);
    if (element) {
      if (element.adjoint && element.does !== 'store') op.results.forEach(mark);
      if (!element.adjoint && !element.lasting) throughArray(op, element);
      return;
    }
    const control = controlOf(op);
    if (!control) {
      /* What a given derivative is by, and not what its results were computed from. */
      const by = isGiven(op) ? partsOfGiven(op).inputs : op.operands;
      if (rowOf(table, op)?.is !== 'zero' && by.some((v) => active.has(v.id))) {
        if (op.results.length > 0 && !op.results.some((r) => isFloat(r.type))) refuseTaken(op, table, mode);
        op.results.forEach(mark);
      }
      if (!isGiven(op)) op.regions.forEach(inside);
      return;
    }
    /* What a loop carries may become active in any iteration. */
    for (let before = -1; before < active.size;) {
      before = active.size;
      for (const edge of control.edges) {
        const received = receivedBy(op, edge);
        handedOn(op, edge).forEach((v, n) => {
          if (active.has(v.id)) mark(received[n]);
        });
      }
      op.regions.forEach(inside);
    }
  };
  /* What goes into an array and is read from it again would lose its derivative. */
  const filled = new Map<string, Op>();
  const throughArray = (op: Op, { place, value, does }: ElementOp): void => {
    if (value && active.has(value.id)) filled.set(place, op);
    if (does !== 'store' && filled.has(place) && isFloat(op.results[0].type))
      fail('adjoint/array', `${place} is written with what is differentiated, and read again`, {
        loc: filled.get(place)!.loc ?? op.loc,
        remedy: 'keep it in a field that is differentiated, or in a local',
      });
  };
  const inside = (region: Region): void => region.ops.forEach(visit);
  kernel.params.forEach(mark);
  inside(kernel.body);
  return active;
};

/** A float that becomes something else keeps no derivative, but where that is zero by definition. */
const refuseTaken = (op: Op, table: DerivativeTable, mode: Mode): void => {
  const row = rowOf(table, op);
  if (row?.is === 'rule' || row?.is === 'structure') return;
  fail(`${mode}/no-rule`, `${op.name} has no derivative${row?.is === 'refused' ? `: ${row.why}` : ''}`, {
    ...(op.loc ? { loc: op.loc } : {}),
    remedy: row?.is === 'refused' ? row.remedy : 'compute it from what is not differentiated',
  });
};
