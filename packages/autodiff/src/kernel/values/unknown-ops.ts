import { fail, walk, type Kernel, type OpTable } from '@filigree/ir';
import type { DerivativeTable } from '../../table/derivative.js';
import { rowOf, type Mode } from './rule.js';

/**
 * Refuses ops that touch what has derivatives, and of which nothing says what they do to these: to leave them out would be to take their derivative for zero.
 * Errors: `adjoint/no-rule`, `tangent/no-rule`.
 *
 * @param places those of values that have derivatives, as effects call them
 */
export const refuseUnknownOps = (
  { name, body }: Kernel,
  ops: OpTable,
  table: DerivativeTable,
  places: { readonly has: (place: string) => boolean },
  mode: Mode,
): void =>
  walk(body, (op) => {
    const row = rowOf(table, op);
    if (row && row.is !== 'refused') return;
    const touched = ops
      .get(op.name)!
      .effects(op)
      .some((e) => e.buffer === undefined || places.has(e.buffer));
    if (touched)
      fail(
        `${mode}/no-rule`,
        `'${op.name}' of kernel '${name}' has no derivative${row ? `: ${row.why}` : ' that is known'}`,
        {
          loc: op.loc,
          remedy: row?.remedy ?? 'give it one: an extension has them in its slot `derivatives`',
        },
      );
  });
