import { defineGeneral, dialect, fail, walk, type Builder, type Kernel, type Value } from '@filigree/ir';
import type { Mode } from './rule.js';

/**
 * Stands for a value that the adjoint cannot compute again. Most are never needed: what is left of them once dead code is gone is
 * refused.
 */
export const lost = dialect('adjoint', [
  defineGeneral(
    {
      name: 'adjoint.lost',
      summary: 'a value of the primal kernel that is not known any more, and `why`',
      verify: () => [],
      resultTypes: () => [],
    },
    (op, _args, machine) => machine.trap(op, 'the value is lost'),
  ),
]);

/**
 * A value in place of one that is not known any more. `why` says what it was, and `remedy` what to do if it is needed.
 *
 * @param loop the number of the loop whose history has it, if one could
 */
export const lostValue = (b: Builder, of: Value, why: string, remedy: string, loop?: number): Value =>
  b.op('adjoint.lost', [], { why, remedy, ...(loop === undefined ? {} : { loop }) }, [], [of.type])[0];

/** The numbers of loops whose histories have what is missing. */
export const missedLoops = ({ body }: Kernel): readonly number[] => {
  const found = new Set<number>();
  walk(body, ({ name, attrs }) => {
    if (name === 'adjoint.lost' && typeof attrs.loop === 'number') found.add(attrs.loop);
  });
  return [...found];
};

/** Refuses a kernel that needs a lost value. Errors: `adjoint/lost`, `tangent/lost`. */
export const refuseLost = (primal: string, { body }: Kernel, mode: Mode): void =>
  walk(body, (op) => {
    if (op.name === 'adjoint.lost')
      fail(`${mode}/lost`, `the derivative of kernel '${primal}' needs ${String(op.attrs.why)}`, {
        loc: op.loc,
        remedy: String(op.attrs.remedy),
      });
  });
