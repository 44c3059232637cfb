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

/** What a value was that is lost, and where it could come from. */
export interface Loss {
  readonly why: string;
  readonly remedy: string;
  /** The number of the loop whose history has it. */
  readonly loop?: number;
  /** The field that has it before the launch. */
  readonly keep?: string;
  /** Whether it was overwritten. */
  readonly overwritten?: true;
}

/** A value in place of one that is not known any more. */
export const lostValue = (b: Builder, of: Value, loss: Loss): Value =>
  b.op('adjoint.lost', [], { ...loss }, [], [of.type])[0];

/** The numbers of loops whose histories have what is missing, and the fields that had it before the launch. */
export const missedIn = ({
  body,
}: Kernel): { readonly loops: readonly number[]; readonly fields: readonly string[] } => {
  const [loops, fields] = [new Set<number>(), new Set<string>()];
  walk(body, ({ name, attrs }) => {
    if (name !== 'adjoint.lost') return;
    if (typeof attrs.loop === 'number') loops.add(attrs.loop);
    if (typeof attrs.keep === 'string') fields.add(attrs.keep);
  });
  return { loops: [...loops], fields: [...fields] };
};

/** Whether a kernel needs a lost value. */
export const isLost = ({ body }: Kernel): boolean => {
  let found = false;
  walk(body, ({ name }) => void (found ||= name === 'adjoint.lost'));
  return found;
};

/** Refuses a kernel that needs a lost value. Errors: `adjoint/lost`, `adjoint/overwritten`, `tangent/lost`. */
export const refuseLost = (primal: string, { body }: Kernel, mode: Mode): void =>
  walk(body, (op) => {
    if (op.name === 'adjoint.lost')
      fail(
        `${mode}/${op.attrs.overwritten === true ? 'overwritten' : 'lost'}`,
        `the derivative of kernel '${primal}' needs ${String(op.attrs.why)}`,
        {
          loc: op.loc,
          remedy: String(op.attrs.remedy),
        },
      );
  });
