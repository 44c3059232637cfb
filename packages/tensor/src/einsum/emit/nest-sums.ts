import type { Builder, Value } from '@filigree/ir';
import { advance, pieces, type Cursor, type DenseLoop, type DenseTerm, type Place } from './nest-loops.js';

/** How the value of an entry of the target is made of its sum. */
export interface Finish {
  readonly add: boolean;
  readonly scale: number | Value;
  readonly type: 'f32' | 'f64';
}

/** Elements of a place for `width` lanes along a loop; of one that does not move along it one element serves all lanes. */
export const lanesOf = (b: Builder, place: Place, width: number, stride: number): Value => {
  if (width === 1) return b.load(place.buffer, place.at);
  return stride === 0 ? b.splat(b.load(place.buffer, place.at), width) : b.load(place.buffer, place.at, width);
};

const product = (b: Builder, term: DenseTerm, width: number, along: DenseLoop | undefined): Value =>
  term.map((place, k) => lanesOf(b, place, width, along?.strides[k + 1] ?? 0)).reduce(b.mul);

/** The sum of all terms over these loops, for `width` neighbours along a loop of the target. */
export const wideSum = (
  b: Builder,
  nest: Finish,
  cursor: Cursor,
  summed: readonly DenseLoop[],
  width: number,
  along?: DenseLoop,
): Value =>
  summed.length === 0 && cursor.terms.length > 0
    ? cursor.terms.map((t) => product(b, t, width, along)).reduce(b.add)
    : carried(b, summed, cursor, [zero(b, nest, width)], (c, [sum]) => [
        c.terms.reduce((acc, t) => b.add(acc, product(b, t, width, along)), sum!),
      ])[0]!;

/** The sum of all terms for one element, the last loop along lanes where there is one. */
export const sumOf = (
  b: Builder,
  nest: Finish & { readonly lanes: number },
  cursor: Cursor,
  summed: readonly DenseLoop[],
  lane: DenseLoop | undefined,
): Value => {
  if (lane === undefined) return wideSum(b, nest, cursor, summed, 1);
  return pieces(lane.trips, nest.lanes)
    .map(({ from, to, width }) => {
      const [sum] = carried(b, summed, cursor, [zero(b, nest, width)], (c, before) =>
        b.for(b.i32(from), b.i32(to), b.i32(width), {}, before, (i, [acc]) => [
          advance(b, c, i, lane).terms.reduce((x, t) => b.add(x, product(b, t, width, lane)), acc!),
        ]),
      );
      return width === 1 ? sum! : b.reduce('add', sum!);
    })
    .reduce(b.add);
};

/** Values that are carried through loops, from the outermost in. */
export const carried = (
  b: Builder,
  loops: readonly DenseLoop[],
  cursor: Cursor,
  init: readonly Value[],
  body: (cursor: Cursor, values: readonly Value[]) => readonly Value[],
): readonly Value[] => {
  const [first, ...rest] = loops;
  if (first === undefined) return body(cursor, init);
  return b.for(b.i32(0), b.i32(first.trips), b.i32(1), {}, init, (i, values) =>
    carried(b, rest, advance(b, cursor, i, first), values, body),
  );
};

/** Scales a value and stores it, or adds it to what is there. */
export const finish = (b: Builder, nest: Finish, { target }: Cursor, value: Value, width: number): void => {
  const { scale, type } = nest;
  const factor = typeof scale === 'number' ? (scale === 1 ? undefined : b.constant(scale, type)) : scale;
  const scaled = factor === undefined ? value : b.mul(width === 1 ? factor : b.splat(factor, width), value);
  b.store(target.buffer, nest.add ? b.add(b.load(target.buffer, target.at, width), scaled) : scaled, target.at);
};

export const zero = (b: Builder, { type }: Pick<Finish, 'type'>, width: number): Value =>
  b.constant(0, width === 1 ? type : { lanes: width, of: type });
