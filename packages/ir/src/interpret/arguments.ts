import { fail } from '../diagnostics/diagnostic.js';
import { integerRange } from '../dialects/integer.js';
import type { Scalar } from '../kernel/dialect.js';
import type { Kernel, Value } from '../kernel/op.js';
import { isFloat, isWide, scalarOf, typeText } from '../kernel/type.js';

/** A scalar argument as the run-time value of its parameter's type; an integer that does not fit is refused. */
export const scalarArgument = (kernel: Kernel, param: Value, arg: Scalar): Scalar => {
  const type = scalarOf(param.type);
  const refuse = (): never =>
    fail(
      'interpret/arguments',
      `kernel @${kernel.name}: ${String(arg)} is no ${typeText(param.type)}, the type of %${param.hint ?? param.id}`,
    );
  if (type === 'i1') return typeof arg === 'boolean' ? arg : refuse();
  if (typeof arg === 'boolean') return refuse();
  if (isFloat(type)) return type === 'f32' ? Math.fround(Number(arg)) : Number(arg);
  if (typeof arg === 'number' && !Number.isInteger(arg)) return refuse();
  const [min, max] = integerRange(type);
  const exact = BigInt(arg);
  if (exact < min || exact > max) return refuse();
  return isWide(type) ? exact : Number(exact);
};
