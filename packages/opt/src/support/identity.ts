import { integerRange, isFloat, isWide, type Scalar, type ScalarType } from '@filigree/ir';

/** The value that changes nothing when it is combined with another one. */
export const identityOf = (kind: string, type: ScalarType): Scalar => {
  if (type === 'i1') return kind === 'and';
  if (isFloat(type)) return kind === 'add' ? -0 : kind === 'min' ? Infinity : -Infinity;
  const [min, max] = integerRange(type);
  const ones = type.startsWith('u') ? max : -1n;
  const exact = kind === 'min' ? max : kind === 'max' ? min : kind === 'and' ? ones : 0n;
  return isWide(type) ? exact : Number(exact);
};
