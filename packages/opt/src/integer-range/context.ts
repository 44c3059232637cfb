import type { Attrs, Op, Type, Value, IntegerRange, RealRange } from '@filigree/ir';

/** What a rule may see and do at the place of the op that it looks at. */
export interface RangeContext {
  readonly range: (v: Value) => IntegerRange | undefined;
  /** The range of a float that an integer is made of. */
  readonly real: (v: Value) => RealRange | undefined;
  /** The op that gives a value, as it is now. */
  readonly def: (v: Value) => Op | undefined;
  /** Whether an op gives the same number as without a limit to its type. */
  readonly exact: (op: Op) => boolean;
  readonly constant: (value: number, type: Type) => Value;
  readonly build: (name: string, operands: readonly Value[], type: Type, attrs?: Attrs) => Value;
}
