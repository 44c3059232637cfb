import {
  type LoopCount,
  type Op,
  type OpTable,
  type RuntimeValue,
  type Scalar,
  type Value,
  evaluateOp,
  isWide,
  scalarOf,
} from '@filigree/ir';

/** The iterations of a loop, from the arguments of its kernel. */
export type HostCount = (args: readonly Scalar[]) => number;

/**
 * How often a loop runs, where the host can say so from constants and the kernel's parameters; undefined where it depends on memory.
 *
 * @param before the ops before the loop
 */
export const hostCount = (
  { lower, upper, step }: LoopCount,
  params: readonly Value[],
  before: readonly Op[],
  table: OpTable,
): HostCount | undefined => {
  const definedBy = new Map(before.flatMap((op) => op.results.map((v) => [v.id, op] as const)));
  const ops = new Set<Op>();
  const known = (v: Value | number): boolean => {
    if (typeof v === 'number' || params.some((p) => p.id === v.id)) return true;
    const op = definedBy.get(v.id);
    if (op === undefined) return false;
    if (ops.has(op)) return true;
    const def = table.get(op.name);
    const computes = def !== undefined && op.regions.length === 0 && def.effects(op).length === 0;
    if (!computes || !op.operands.every(known)) return false;
    ops.add(op);
    return true;
  };
  if (![lower, upper, step].every(known)) return undefined;
  return (args) => {
    const values = new Map<number, RuntimeValue>(params.map((p, k) => [p.id, argument(p, args[k]!)]));
    const number = (v: Value | number): number => (typeof v === 'number' ? v : Number(values.get(v.id)));
    for (const op of ops) {
      const made = evaluateOp(
        op,
        table.get(op.name)!,
        op.operands.map((v) => values.get(v.id)!),
      );
      op.results.forEach((v, k) => values.set(v.id, made?.[k] ?? NaN));
    }
    const [from, to, by] = [number(lower), number(upper), number(step)];
    return by >= 1 && to > from ? Math.ceil((to - from) / by) : 0;
  };
};

const argument = (param: Value, given: Scalar): RuntimeValue =>
  isWide(scalarOf(param.type)) && typeof given === 'number' ? BigInt(given) : given;
