import { defineGeneral, dialect, fail, walk, type Builder, type Kernel, type Value } from '@filigree/ir';

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

/** A value in place of one that is not known any more. `why` says what it was, and `remedy` what to do if it is needed. */
export const lostValue = (b: Builder, of: Value, why: string, remedy: string): Value =>
  b.op('adjoint.lost', [], { why, remedy }, [], [of.type])[0];

/** Refuses a kernel that needs a lost value. Error: `adjoint/lost`. */
export const refuseLost = (primal: string, { body }: Kernel): void =>
  walk(body, (op) => {
    if (op.name === 'adjoint.lost')
      fail('adjoint/lost', `the derivative of kernel '${primal}' needs ${String(op.attrs.why)}`, {
        loc: op.loc,
        remedy: String(op.attrs.remedy),
      });
  });
