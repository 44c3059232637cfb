import { type Op, type Region, type Scalar, type Value, opWith } from '@filigree/ir';
import { keepForSlots, keepIfSlots } from '../support/slots.js';
import { tripCount } from '../support/trip-count.js';
import { terminatorOf } from '../support/values.js';
import type { FoldContext } from './fold-context.js';

/** What becomes of an op with regions. */
export type ControlStep =
  /** The region's ops take the op's place; its results are the terminator's operands from `skip` on. */
  | { readonly kind: 'inline'; readonly region: Region; readonly args: readonly Value[]; readonly skip: number }
  /** Nothing runs, the results are these. */
  | { readonly kind: 'replace'; readonly values: readonly Value[] }
  | { readonly kind: 'keep'; readonly op: Op };

/**
 * Resolves branches whose condition is known and loops that run once or never; turns `if not c` into `if c` with its
 * arms exchanged.
 */
export const simplifyControl = (op: Op, context: FoldContext): ControlStep => {
  if (op.name === 'scf.if') return simplifyIf(op, context);
  if (op.name === 'scf.for') return simplifyFor(op, context);
  if (op.name === 'scf.while') return simplifyWhile(op, context);
  return { kind: 'keep', op };
};

const simplifyIf = (op: Op, context: FoldContext): ControlStep => {
  const condition = op.operands[0]!;
  const known = context.constantOf(condition);
  if (known !== undefined) return { kind: 'inline', region: op.regions[known ? 0 : 1]!, args: [], skip: 0 };
  if (op.results.length === 0 && op.regions.every((r) => r.ops.length === 1)) return { kind: 'replace', values: [] };
  const def = context.defOf(condition);
  if (def?.name !== 'arith.not') return { kind: 'keep', op };
  return { kind: 'keep', op: opWith(op, { operands: [def.operands[0]!], regions: [op.regions[1]!, op.regions[0]!] }) };
};

const simplifyFor = (op: Op, context: FoldContext): ControlStep => {
  const inits = op.operands.slice(3);
  const trips = tripCount(op, context.constantOf);
  if (trips === 0n) return { kind: 'replace', values: inits };
  if (trips === 1n) return { kind: 'inline', region: op.regions[0]!, args: [op.operands[0]!, ...inits], skip: 0 };
  return { kind: 'keep', op };
};

const simplifyWhile = (op: Op, context: FoldContext): ControlStep => {
  const [before] = op.regions;
  const condition = terminatorOf(before!).operands[0]!;
  // The condition counts only if it is known before the region runs; the next round sees the others.
  if (context.constantOf(condition) === false) return { kind: 'inline', region: before!, args: op.operands, skip: 1 };
  const inner = before!.ops.find((o) => o.results.some((v) => v.id === condition.id));
  if (inner?.name === 'arith.constant' && inner.attrs['value'] === false)
    return { kind: 'inline', region: before!, args: op.operands, skip: 1 };
  return { kind: 'keep', op };
};

/**
 * A `for` without the carried values that every iteration passes on unchanged: parameter and result are the initial
 * value.
 */
export const withoutInvariants = (op: Op): { readonly op: Op; readonly replaced: readonly Replaced[] } => {
  if (op.name !== 'scf.for') return { op, replaced: [] };
  const region = op.regions[0]!;
  const next = terminatorOf(region).operands;
  const kept: number[] = [];
  const replaced: Replaced[] = [];
  op.results.forEach((result, i) => {
    const param = region.params[i + 1]!;
    const init = op.operands[i + 3]!;
    if (next[i]!.id === param.id || next[i]!.id === init.id)
      replaced.push({ old: param, by: init }, { old: result, by: init });
    else kept.push(i);
  });
  return { op: replaced.length === 0 ? op : keepForSlots(op, kept), replaced };
};

/** An `if` without the results for which both branches yield the same value, which is then defined outside, or constant. */
export const withoutAgreement = (
  op: Op,
  constantOf: FoldContext['constantOf'],
): { readonly op: Op; readonly replaced: readonly (Replaced & { readonly constant?: Scalar })[] } => {
  if (op.name !== 'scf.if' || op.results.length === 0) return { op, replaced: [] };
  const [a, b] = [terminatorOf(op.regions[0]!).operands, terminatorOf(op.regions[1]!).operands];
  const kept: number[] = [];
  const replaced: (Replaced & { readonly constant?: Scalar })[] = [];
  op.results.forEach((old, i) => {
    const [x, y] = [constantOf(a[i]!), constantOf(b[i]!)];
    if (a[i]!.id === b[i]!.id) replaced.push({ old, by: a[i]! });
    else if (x !== undefined && Object.is(x, y)) replaced.push({ old, by: a[i]!, constant: x });
    else kept.push(i);
  });
  return { op: replaced.length === 0 ? op : keepIfSlots(op, kept), replaced };
};

interface Replaced {
  readonly old: Value;
  readonly by: Value;
}
