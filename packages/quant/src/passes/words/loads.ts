import type { Builder, Value } from '@filigree/ir';
import { ambientOf, axesOf, wordsName, type Layout, type PlacedField, type SNode } from '@filigree/sparse/fields';

/** How the elements of one word of a bit array lie, and its words. */
export interface ArrayShape {
  /** The node whose cells are elements, and that in whose cells the words lie. */
  readonly array: SNode;
  readonly around: SNode;
  /** Axes of the elements; elements of a word along each, and from one to the next. */
  readonly axes: readonly number[];
  readonly sides: readonly number[];
  readonly strides: readonly number[];
  /** Elements of a word, the bits of each, and of the word. */
  readonly count: number;
  readonly bits: number;
  readonly wordBits: number;
}

/** The shape of the words that elements of a node lie in; nothing where it is no bit array. */
export const shapeOf = (layout: Layout, array: SNode): ArrayShape | undefined => {
  if (array.kind !== 'bits') return undefined;
  const axes = axesOf(layout, array.id);
  const strideOf = (axis: number): number =>
    array.axes.slice(array.axes.indexOf(axis) + 1).reduce((n, a) => n * array.extents[a], 1);
  const { format, wordBits } = layout.nodes[array.children[0]].stored!;
  return {
    array,
    around: layout.nodes[array.parent],
    axes,
    sides: axes.map((axis) => array.extents[axis]),
    strides: axes.map((axis) => (array.axes.includes(axis) ? strideOf(axis) : 0)),
    count: array.axes.reduce((n, a) => n * array.extents[a], 1),
    bits: format.bits,
    wordBits,
  };
};

/** The elements of a word as a mask: one bit each, or all. */
export const maskOf = (shape: ArrayShape, isIn: (at: readonly number[]) => boolean, bits = 1): bigint => {
  let mask = 0n;
  const each = (1n << BigInt(bits)) - 1n;
  for (let n = 0; n < shape.count; n++) {
    const at = shape.sides.map((side, a) => (shape.strides[a] === 0 ? 0 : Math.floor(n / shape.strides[a]) % side));
    if (isIn(at)) mask |= each << BigInt(n * shape.bits);
  }
  return mask;
};

/** Words of fields, as the loop over words of a shape loads them. */
export interface Words {
  /** The word whose elements are those at such distances from the ones of the iteration. */
  readonly load: (field: PlacedField, offsets: readonly Offset[]) => Value;
}

/** So many elements along an axis; with `around` from the last on to the first again, of which there are so many. */
export interface Offset {
  readonly by: number;
  readonly around?: number;
}

/** Whether it is the own element. */
export const isOwn = ({ by }: Offset): boolean => by === 0;

const offsetText = ({ by, around }: Offset): string => (around === undefined ? `${by}` : `${by} of ${around}`);

/**
 * Loads from the cell with these coordinates, and from those around it: a word at an offset is made of the bits of two words, or of more where
 * words extend along several axes (thesis figure 5-12).
 */
export const wordsAt = (b: Builder, layout: Layout, shape: ArrayShape, cell: readonly Value[]): Words => {
  const type = shape.wordBits === 64 ? ('u64' as const) : ('u32' as const);
  const constant = (n: bigint): Value => b.constant(type === 'u64' ? n : Number(n), type);
  const inCell = axesOf(layout, shape.around.id);
  const made = new Map<string, Value>();
  const whole = (field: PlacedField, tiles: readonly Offset[]): Value => {
    const key = [field.field.name, ...tiles.map(offsetText)].join();
    const known = made.get(key);
    if (known) return known;
    /* An array that no node around continues along an axis ends there. */
    const ends = shape.axes.some((axis, a) => !isOwn(tiles[a]) && !inCell.includes(axis));
    const at = inCell.map((axis, n) => {
      const { by, around } = tiles[shape.axes.indexOf(axis)];
      if (by === 0) return cell[n];
      const moved = b.add(cell[n], b.i32(by));
      return around === undefined
        ? moved
        : b.select(b.cmp('ge', moved, b.i32(around)), b.sub(moved, b.i32(around)), moved);
    });
    const name = wordsName(field.field);
    const word = ends ? b.constant(ambientOf(layout, name), type) : b.value('field.load', at, { field: name });
    made.set(key, word);
    return word;
  };
  const load = (field: PlacedField, offsets: readonly Offset[]): Value => {
    const key = ['at', field.field.name, ...offsets.map(offsetText)].join();
    const known = made.get(key);
    if (known) return known;
    const { sides, strides } = shape;
    const tiles = offsets.map(({ by }, a) => Math.floor(by / sides[a]));
    const rests = offsets.map(({ by }, a) => by - tiles[a] * sides[a]);
    const tileAt = (a: number, by: number): Offset => {
      const { around } = offsets[a];
      return around === undefined ? { by } : { by: by % (around / sides[a]), around: around / sides[a] };
    };
    const crossed = rests.flatMap((r, a) => (r > 0 ? [a] : []));
    const parts = Array.from({ length: 2 ** crossed.length }, (_, choice) => {
      const upper = sides.map((_, a) => crossed.includes(a) && ((choice >> crossed.indexOf(a)) & 1) === 1);
      const word = whole(
        field,
        tiles.map((t, a) => tileAt(a, upper[a] ? t + 1 : t)),
      );
      const by = shape.bits * rests.reduce((sum, r, a) => sum + strides[a] * (r - (upper[a] ? sides[a] : 0)), 0);
      const moved = by === 0 ? word : by > 0 ? b.shr(word, constant(BigInt(by))) : b.shl(word, constant(BigInt(-by)));
      const mask = maskOf(
        shape,
        (at) => at.every((x, a) => !crossed.includes(a) || x + rests[a] >= sides[a] === upper[a]),
        shape.bits,
      );
      /* Along one axis what is not in the word moves out of it. */
      const isClean =
        crossed.length === 0 ||
        (shape.array.axes.length === 1 && shape.count * shape.bits === (type === 'u64' ? 64 : 32));
      return isClean ? moved : b.and(moved, constant(mask));
    });
    const word = parts.reduce(b.or);
    made.set(key, word);
    return word;
  };
  return { load };
};
