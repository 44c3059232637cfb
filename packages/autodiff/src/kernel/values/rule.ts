import { fail, type Op } from '@filigree/ir';
import type { Derivative, DerivativeTable } from '../../table/derivative.js';

/** In which mode a kernel is differentiated: what codes of messages begin with. */
export type Mode = 'adjoint' | 'tangent';

/** The row of a table for an op; nothing where there is none. */
export const rowOf = (table: DerivativeTable, { name }: Op): Derivative | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** The rule of an op that computes; nothing where its derivative is zero. Errors: `adjoint/no-rule`, `tangent/no-rule`. */
export const ruleOf = (
  table: DerivativeTable,
  op: Op,
  mode: Mode,
): Extract<Derivative, { readonly is: 'rule' }> | undefined => {
  const row = rowOf(table, op);
  if (row?.is === 'zero') return undefined;
  if (row?.is === 'rule') return row;
  return fail(
    `${mode}/no-rule`,
    `'${op.name}' has no derivative${row?.is === 'refused' ? `: ${row.why}` : ' that is known'}`,
    {
      loc: op.loc,
      remedy:
        row?.is === 'refused'
          ? row.remedy
          : 'compute it from other operations, or in a kernel that is not differentiated',
    },
  );
};
