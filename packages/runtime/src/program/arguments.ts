import {
  allocateArray,
  arrayConstructor,
  fail,
  integerRange,
  isFloat,
  isWide,
  type Scalar,
  type ScalarType,
  type TypedArray,
} from '@filigree/ir';
import type { LaunchParam } from '@filigree/lang/kernels';
import { shownValue } from '../shown-value.js';

/** Checks an argument of a launch and gives it as backends take it. Error: `launch/argument`. */
export type ArgumentCheck = (value: unknown) => Scalar;

/** The check of a scalar argument: floats take any number, integers whole numbers in their range, truth values booleans. */
export const scalarCheck = (kernel: string, name: string, type: ScalarType): ArgumentCheck => {
  const refuse = (value: unknown, wanted: string): never =>
    fail('launch/argument', `argument '${name}' of kernel '${kernel}' is ${shownValue(value)}`, {
      remedy: `give ${wanted}`,
    });
  if (isFloat(type)) return (value) => (typeof value === 'number' ? value : refuse(value, 'a number'));
  if (type === 'i1') return (value) => (typeof value === 'boolean' ? value : refuse(value, 'true or false'));
  const [min, max] = integerRange(type);
  const wanted = `a whole number from ${min} to ${max} (${type})`;
  if (isWide(type))
    return (value) => {
      if (typeof value !== 'bigint' && !Number.isSafeInteger(value))
        return refuse(value, `a safe whole number or a bigint (${type})`);
      const exact = BigInt(value as number | bigint);
      return exact >= min && exact <= max ? exact : refuse(value, wanted);
    };
  const [low, high] = [Number(min), Number(max)];
  return (value) => {
    const x = typeof value === 'bigint' ? Number(value) : value;
    return Number.isInteger(x) && (x as number) >= low && (x as number) <= high ? (x as number) : refuse(value, wanted);
  };
};

/** Checks an argument that is a vector or matrix, and gives its elements row by row. Error: `launch/argument`. */
export const shapedCheck = (
  kernel: string,
  { name, type, shape }: LaunchParam & { readonly is: 'shaped' },
): ((value: unknown) => readonly Scalar[]) => {
  const check = scalarCheck(kernel, name, type);
  const wanted = shape.length === 1 ? `${shape[0]} numbers` : `${shape[0]} rows of ${shape[1]} numbers`;
  const elements = (value: unknown, [side, ...more]: readonly number[]): readonly Scalar[] => {
    if (side === undefined) return [check(value)];
    const list =
      typeof value === 'object' && value !== null && Symbol.iterator in value ? [...(value as Iterable<unknown>)] : [];
    return list.length === side
      ? list.flatMap((item) => elements(item, more))
      : fail('launch/argument', `argument '${name}' of kernel '${kernel}' is ${shownValue(value)} of another shape`, {
          remedy: `give ${wanted}`,
        });
  };
  return (value) => elements(value, shape);
};

/**
 * Checks an array argument: of the type's typed array, or a list of numbers, of which it makes one, and no longer than there is
 * room. Errors: `launch/array`, `launch/array-length`, `launch/argument` of what is no number of the type.
 */
export const checkedArray = (
  kernel: string,
  param: LaunchParam & { readonly is: 'array' },
  given: unknown,
): TypedArray => {
  const { name, type, maxLength } = param;
  const value = Array.isArray(given) ? typedOf(kernel, param, given) : given;
  if (!(value instanceof arrayConstructor(type)))
    return fail('launch/array', `argument '${name}' of kernel '${kernel}' is ${shownValue(value)}`, {
      remedy: `give a ${arrayConstructor(type).name}, or a list of numbers`,
    });
  if (isDetached(value))
    return fail('launch/array', `the memory of argument '${name}' of kernel '${kernel}' was handed to another thread`, {
      remedy: 'give an array that still has its memory, or make a copy before you transfer it',
    });
  if (value.length > maxLength)
    return fail(
      'launch/array-length',
      `argument '${name}' of kernel '${kernel}' has ${value.length} elements, and there is room for ${maxLength}`,
      { remedy: `give fewer, or declare array('${type}', ${value.length})` },
    );
  return value;
};

const typedOf = (
  kernel: string,
  { name, type }: LaunchParam & { readonly is: 'array' },
  list: readonly unknown[],
): TypedArray => {
  const made = allocateArray(type, list.length);
  for (let k = 0; k < list.length; k++)
    (made as { [index: number]: Scalar })[k] = scalarCheck(kernel, `${name}[${k}]`, type)(list[k]);
  return made;
};

/* Node 20 knows no `ArrayBuffer.prototype.detached`. */
const isDetached = (array: TypedArray): boolean => {
  if (array.length > 0) return false;
  try {
    return new Uint8Array(array.buffer).length < 0;
  } catch {
    return true;
  }
};
