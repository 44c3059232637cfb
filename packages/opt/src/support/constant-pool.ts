import {
  exactText,
  attrFromScalar,
  scalarOf,
  scopedMap,
  typeText,
  type Op,
  type Scalar,
  type Type,
  type Value,
} from '@filigree/ir';
import { simpleOp, type Fresh } from './values.js';

/** The constants that are in scope where a pass stands, one value for each. */
export interface ConstantPool {
  /** The value of this constant; a new op is handed to `append` where there is none in scope. */
  readonly value: (scalar: Scalar, type: Type, append: (op: Op) => void) => Value;
  /** The scalar that a constant value stands for. */
  readonly scalarOf: (v: Value) => Scalar | undefined;
  /** Records a constant op; returns the equal one that should replace it, if there already is one. */
  readonly note: (op: Op, scalar: Scalar) => Value | undefined;
  readonly enter: () => void;
  readonly leave: () => void;
}

export const constantPool = (fresh: Fresh): ConstantPool => {
  const values = scopedMap<Value>();
  const scalars = new Map<number, Scalar>();
  const remember = (key: string, v: Value, scalar: Scalar): void => {
    values.set(key, v);
    scalars.set(v.id, scalar);
  };
  return {
    value: (scalar, type, append) => {
      const key = constantKey(scalar, type);
      const known = values.get(key);
      if (known) return known;
      const result = fresh(type);
      append(simpleOp('arith.constant', [], { value: attrFromScalar(scalar, scalarOf(type)) }, result));
      remember(key, result, scalar);
      return result;
    },
    scalarOf: (v) => scalars.get(v.id),
    note: (op, scalar) => {
      const v = op.results[0]!;
      const key = constantKey(scalar, v.type);
      const known = values.get(key);
      if (known === undefined) remember(key, v, scalar);
      return known;
    },
    enter: values.enter,
    leave: values.leave,
  };
};

/** Text that differs where constants do: -0 is not 0, and NaN is NaN. */
const constantKey = (scalar: Scalar, type: Type): string => `${typeText(type)} ${exactText(scalar)}`;
