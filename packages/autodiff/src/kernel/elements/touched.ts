import { isFloat, walk, type Kernel, type Loc, type Scalar, type Value } from '@filigree/ir';

/** What a field is called among the places of memory that launches touch (`Touched.place`), in messages too. */
export const placeOfField = (field: string): string => `field '${field}'`;

/** The elements of a field that an op of a kernel touches, as far as they are known before it runs: by each coordinate. */
export interface Touched {
  readonly place: string;
  readonly index: readonly (Coordinate | undefined)[];
  /** What branches around the op say of the elements, see `residuesOf`. */
  readonly residues?: readonly Residue[] | undefined;
  /** Between which numbers each coordinate lies, both among them; nothing where it is not certain to be within the field. */
  readonly within?: readonly (readonly [least: number, most: number] | undefined)[] | undefined;
  /** Where each coordinate lies beside arguments, see `besideArguments`. */
  readonly beside?: readonly (readonly Beside[])[] | undefined;
  /** Where in the text. */
  readonly loc?: Loc | undefined;
}

/** What is known of a coordinate less an argument, which one by its position: what it lies between, or is not. */
export interface Beside {
  readonly argument: number;
  /** Whether it is the argument itself and something between numbers. */
  readonly isItself: boolean;
  readonly least?: number;
  readonly most?: number;
  readonly isNot?: number;
}

/** Of the elements that an op touches: what the sum of their coordinates, times a weight each, leaves when it is divided. */
export interface Residue {
  /** The weights, what the kernel is given beside, and the divisor. */
  readonly of: string;
  readonly is: number;
}

/** A number, or a number added to a scalar argument, which one by its position; or what such a sum leaves when it is divided. */
export interface Coordinate {
  readonly argument: number | undefined;
  readonly offset: number;
  readonly modulus?: number;
  /** The number that all this is taken from, as in `1 - t % 2`. */
  readonly from?: number;
}

/** What is known of the integers of a kernel. */
export const coordinatesOf = ({ params, body }: Kernel): ((v: Value) => Coordinate | undefined) => {
  const known = new Map<number, Coordinate>(
    params.flatMap((p, argument) => (isFloat(p.type) ? [] : [[p.id, { argument, offset: 0 }] as const])),
  );
  walk(body, ({ name, attrs, operands, results }) => {
    if (name === 'arith.constant' && typeof attrs.value === 'number')
      known.set(results[0].id, { argument: undefined, offset: attrs.value });
    const [a, b] = operands.map((v) => known.get(v.id));
    if (!a || !b) return;
    if (name === 'arith.sub' && isNumber(a) && !isNumber(b) && b.from === undefined)
      known.set(results[0].id, { ...b, from: a.offset });
    if (!isSum(a) || !isSum(b)) return;
    /* What is left of a negative number is no coordinate. */
    if (name === 'arith.rem' && isNumber(b) && b.offset > 0 && a.offset >= 0)
      known.set(results[0].id, { ...a, modulus: b.offset });
    if (name === 'arith.and' && isNumber(b) && Number.isInteger(Math.log2(b.offset + 1)) && b.offset > 0)
      known.set(results[0].id, { ...a, modulus: b.offset + 1 });
    if (name !== 'arith.add' && name !== 'arith.sub') return;
    if (b.argument === undefined)
      known.set(results[0].id, { ...a, offset: name === 'arith.add' ? a.offset + b.offset : a.offset - b.offset });
    else if (a.argument === undefined && name === 'arith.add')
      known.set(results[0].id, { ...b, offset: a.offset + b.offset });
  });
  return (v) => known.get(v.id);
};

const isSum = ({ modulus, from }: Coordinate): boolean => modulus === undefined && from === undefined;

const isNumber = (c: Coordinate): boolean => c.argument === undefined && isSum(c);

/** Elements of a place as messages call them: with the coordinates that are numbers. */
export const textOf = ({ place, index }: Touched): string => {
  const known = index.map((c) => (c && c.argument === undefined ? String(c.offset) : '…'));
  return `${known.includes('…') ? 'elements' : 'the element'} [${known.join(', ')}] of ${place}`;
};

/** Whether two ops of one launch touch different elements, whatever its arguments are. */
export const areApart = (a: Touched, b: Touched): boolean =>
  a.place !== b.place ||
  a.residues?.some((x) => b.residues?.some((y) => x.of === y.of && x.is !== y.is)) === true ||
  a.within?.some((x, n) => {
    const y = b.within?.[n];
    return x !== undefined && y !== undefined && (x[1] < y[0] || y[1] < x[0]);
  }) === true ||
  a.beside?.some((all, n) => all.some((x) => b.beside?.[n]?.some((y) => lieApart(x, y) || lieApart(y, x)))) === true ||
  a.index.some((x, n) => {
    const y = b.index[n];
    return x !== undefined && y !== undefined && x.argument === y.argument && x.modulus === y.modulus && differ(x, y);
  });

const lieApart = (x: Beside, y: Beside): boolean =>
  x.argument === y.argument &&
  (x.isItself || y.isItself) &&
  ((x.most !== undefined && y.least !== undefined && x.most < y.least) ||
    (x.isNot !== undefined && y.least === x.isNot && y.most === x.isNot));

/**
 * Whether coordinates differ whatever the argument is that both follow from. Without divisor, where one is taken from a number, `1 - t` and `t`, equal ones would be half the sum of all numbers: none where that
 * is odd, also where sums wrap around. With one they are `t % 3` and `(t + 1) % 3`, of which as many cases are looked at as numbers are left.
 */
const differ = (x: Coordinate, y: Coordinate): boolean => {
  const { modulus } = x;
  if (modulus !== undefined)
    return modulus <= MOST_CASES && Array.from({ length: modulus }, (_, t) => t).every((t) => at(x, t) !== at(y, t));
  if ((x.from === undefined) === (y.from === undefined)) return at(x, 0) !== at(y, 0);
  return (at(x, 0) - at(y, 0)) % 2 !== 0;
};

const MOST_CASES = 1024;

/** A coordinate for an argument. */
const at = ({ offset, modulus, from }: Coordinate, argument: number): number => {
  const sum = argument + offset;
  const left = modulus === undefined ? sum : ((sum % modulus) + modulus) % modulus;
  return from === undefined ? left : from - left;
};

/** The coordinates that a launch with these arguments touches; nothing for those that are not known. */
export const elementsAt = ({ index }: Touched, args: readonly Scalar[]): readonly (number | undefined)[] =>
  index.map((c) => {
    if (!c) return undefined;
    const argument = c.argument === undefined ? 0 : Number(args[c.argument]);
    return c.modulus !== undefined && c.offset + argument < 0 ? undefined : at(c, argument);
  });
