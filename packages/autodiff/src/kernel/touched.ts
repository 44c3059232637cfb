import { isFloat, walk, type Kernel, type Loc, type Scalar, type Value } from '@filigree/ir';

/** What a field is called among the places of memory that launches touch (`Touched.place`), in messages too. */
export const placeOfField = (field: string): string => `field '${field}'`;

/** The elements of a field that an op of a kernel touches, as far as they are known before it runs: by each coordinate. */
export interface Touched {
  readonly place: string;
  readonly index: readonly (Coordinate | undefined)[];
  /** Where in the text. */
  readonly loc?: Loc | undefined;
}

/** A number, or a number added to a scalar argument; which one by its position. */
export interface Coordinate {
  readonly argument: number | undefined;
  readonly offset: number;
}

/** What is known of the integers of a kernel. */
export const coordinatesOf = ({ params, body }: Kernel): ((v: Value) => Coordinate | undefined) => {
  const known = new Map<number, Coordinate>(
    params.flatMap((p, argument) => (isFloat(p.type) ? [] : [[p.id, { argument, offset: 0 }] as const])),
  );
  walk(body, ({ name, attrs, operands, results }) => {
    if (name === 'arith.constant' && typeof attrs.value === 'number')
      known.set(results[0].id, { argument: undefined, offset: attrs.value });
    if (name !== 'arith.add' && name !== 'arith.sub') return;
    const [a, b] = operands.map((v) => known.get(v.id));
    if (!a || !b) return;
    if (b.argument === undefined)
      known.set(results[0].id, { ...a, offset: name === 'arith.add' ? a.offset + b.offset : a.offset - b.offset });
    else if (a.argument === undefined && name === 'arith.add')
      known.set(results[0].id, { ...b, offset: a.offset + b.offset });
  });
  return (v) => known.get(v.id);
};

/** Elements of a place as messages call them: with the coordinates that are numbers. */
export const textOf = ({ place, index }: Touched): string => {
  const known = index.map((c) => (c && c.argument === undefined ? String(c.offset) : '…'));
  return `${known.includes('…') ? 'elements' : 'the element'} [${known.join(', ')}] of ${place}`;
};

/** Whether two ops of one launch touch different elements, whatever its arguments are. */
export const areApart = (a: Touched, b: Touched): boolean =>
  a.place !== b.place ||
  a.index.some((x, n) => {
    const y = b.index[n];
    return x && y && x.argument === y.argument && x.offset !== y.offset;
  });

/** The coordinates that a launch with these arguments touches; nothing for those that are not known. */
export const elementsAt = ({ index }: Touched, args: readonly Scalar[]): readonly (number | undefined)[] =>
  index.map((c) => c && c.offset + (c.argument === undefined ? 0 : Number(args[c.argument])));
