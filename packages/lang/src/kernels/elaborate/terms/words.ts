import type { AnyNode } from 'acorn';
import type { OperatorName } from '../../code/operators.js';
import { literal, type Scalar } from '../../code/scalar.js';
import type { WordOps } from '../../vocabulary/random.js';
import { originOf, type Context } from '../context/context.js';

/** Words of 32 bits without a sign, which operations on them keep, as what the compiler writes itself wants them: in a kernel's text they would be signed. */
export interface Words extends WordOps<Scalar> {
  readonly sub: (a: Scalar, b: Scalar) => Scalar;
  readonly and: (a: Scalar, b: Scalar) => Scalar;
  readonly or: (a: Scalar, b: Scalar) => Scalar;
}

export const words = (cx: Context, node: AnyNode): Words => {
  const at = originOf(cx, node);
  const ofTwo =
    (operator: OperatorName) =>
    (a: Scalar, b: Scalar): Scalar =>
      cx.session.computeAs(at, 'u32', operator, a, b);
  const by =
    (operator: OperatorName) =>
    (a: Scalar, bits: number): Scalar =>
      ofTwo(operator)(a, literal(bits));
  return {
    constant: (value) => literal(value),
    add: ofTwo('add'),
    sub: ofTwo('sub'),
    mul: ofTwo('mul'),
    and: ofTwo('bitand'),
    or: ofTwo('bitor'),
    xor: ofTwo('bitxor'),
    shl: by('shl'),
    shr: by('shr'),
  };
};
