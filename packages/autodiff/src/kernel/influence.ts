import { handedOn, receivedBy, type ControlOf, type Kernel, type Op, type OpTable, type Value } from '@filigree/ir';
import type { DerivativeTable } from '../table/derivative.js';
import type { ElementOpOf } from './element-ops.js';
import { isGiven } from './is-given.js';
import { iterationsOf } from './iterations.js';
import { rowOf } from './rule.js';

/**
 * Which values, by id, something that a kernel writes or returns depends on by more than steps. Others have no adjoint: it would be zero, and zero times the
 * derivative of what is no number is no number.
 */
export const influentialValues = (
  { body }: Kernel,
  opTable: OpTable,
  elementOf: ElementOpOf,
  controlOf: ControlOf,
  table: DerivativeTable,
): ReadonlySet<number> => {
  const found = new Set<number>();
  const mark = (v: Value): void => void found.add(v.id);
  const has = (v: Value): boolean => found.has(v.id);
  const visit = (op: Op): void => {
    const element = elementOf(op);
    if (element) return element.value && mark(element.value);
    if (isGiven(op)) return op.results.some(has) ? op.operands.slice(op.results.length).forEach(mark) : undefined;
    const control = controlOf(op);
    if (!control) {
      op.regions.forEach(inside);
      const { effects } = opTable.get(op.name)!;
      const goesOn = op.results.some(has) && rowOf(table, op)?.is !== 'zero';
      if (goesOn || op.regions.length > 0 || effects(op).some((e) => e.kind !== 'read')) op.operands.forEach(mark);
      return;
    }
    const loop = iterationsOf(op, control);
    /* What a loop carries may reach what it is asked for in any iteration after. */
    for (let before = -1; before < found.size;) {
      before = found.size;
      for (const edge of control.edges) {
        const received = receivedBy(op, edge);
        handedOn(op, edge).forEach((v, n) => {
          if (has(received[n])) mark(v);
        });
      }
      /* A counted loop ends with its state. */
      if (loop && !loop.condition)
        loop.state.forEach((v, n) => {
          if (has(v) || has(loop.results[n])) [v, loop.results[n]].forEach(mark);
        });
      op.regions.forEach(inside);
    }
  };
  const inside = ({ ops }: { readonly ops: readonly Op[] }): void => {
    for (let n = ops.length - 1; n >= 0; n--) visit(ops[n]);
  };
  body.ops[body.ops.length - 1].operands.forEach(mark);
  inside(body);
  return found;
};
