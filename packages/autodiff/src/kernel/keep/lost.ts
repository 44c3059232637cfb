import { defineGeneral, dialect, fail, walk, type Builder, type Kernel, type Value } from '@filigree/ir';
import type { Mode } from '../values/rule.js';

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
  /** The number of the read whose values can be kept, see `KeptReads`. */
  readonly read?: number;
  /** Whether it was overwritten. */
  readonly overwritten?: true;
}

/** A value in place of one that is not known any more. */
export const lostValue = (b: Builder, of: Value, loss: Loss): Value =>
  b.op('adjoint.lost', [], { ...loss }, [], [of.type])[0];

/** Where what is missing can come from. */
export interface Missed {
  /** Loops by number, whose histories have it. */
  readonly loops: ReadonlySet<number>;
  /** The fields that had it before the launch. */
  readonly fields: ReadonlySet<string>;
  /** Reads by number, whose values can be kept. */
  readonly reads: ReadonlySet<number>;
}

export const missedIn = ({ body }: Kernel): Missed => {
  const [loops, fields, reads] = [new Set<number>(), new Set<string>(), new Set<number>()];
  walk(body, ({ name, attrs }) => {
    if (name !== 'adjoint.lost') return;
    if (typeof attrs.loop === 'number') loops.add(attrs.loop);
    if (typeof attrs.keep === 'string') fields.add(attrs.keep);
    if (typeof attrs.read === 'number') reads.add(attrs.read);
  });
  return { loops, fields, reads };
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
