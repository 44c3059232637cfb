import { byteSize, isFloat, scalarOf, type Op, type Region, type Scalar, type Value } from '@filigree/ir';
import type { AffineForms } from '../support/affine.js';
import type { Facts } from '../support/facts.js';
import { loadStoreOf } from '../support/load-store.js';
import { chunkFits } from '../support/split-loop.js';
import { tripCount } from '../support/trip-count.js';

/** What is known of values around a loop. */
interface Known {
  readonly facts: Facts;
  readonly constantOf: (v: Value) => Scalar | undefined;
  readonly forms: AffineForms;
}

/** The lanes that a nest would have, of so many bytes each, and the bytes of a vector register. */
interface Lanes {
  readonly lanes: number;
  readonly laneBytes: number;
  readonly registerBytes: number;
  /** Iterations of the loop. */
  readonly trips: bigint | undefined;
}

/**
 * The lanes of a nest that goes down columns, row by row, for long, as sums of columns do, `for j { for i { s += a[i][j] } }`; undefined for others, and where these are no more than there would be. Each row is read from another page, of which
 * processors foresee nothing, and where rows are a power of two long all lie in the same few sets of the cache. So lanes take as much of a row as there are registers for sums, while there are still some parts of a parallel loop for threads: with 512 bytes a product of a matrix of 1,024 rows from the left takes a third of the time that it takes with 64.
 * Within another loop, columns that are the same for all its iterations are left to `jam-nests`, which lets several of these share what they read.
 */
export const lanesDownColumns = (
  loop: Op,
  { lanes, laneBytes, registerBytes, trips }: Lanes,
  known: Known,
): number | undefined => {
  const [region] = loop.regions as readonly [Region];
  const inner = region.ops.filter((op) => op.regions.length > 0);
  const sums = Math.max(1, ...inner.map(({ results }) => results.length));
  const room = 2 ** Math.floor(Math.log2((8 * registerBytes) / sums));
  const parts = loop.attrs['parallel'] === true ? 8 : 1;
  let wide = room / laneBytes;
  while (trips !== undefined && BigInt(parts) * BigInt(Math.ceil(wide)) > trips && wide > lanes) wide /= 2;
  if (wide <= lanes || !chunkFits(loop, 1n, wide)) return undefined;
  const goes = inner.map((op) => along(op, loop, room, known));
  return goes.includes('columns') && !goes.includes(undefined) ? wide : undefined;
};

/** Where an inner loop goes: for long down columns, with little to do, where each iteration goes on to a row that is further away than all lanes reach; or not for long; or elsewhere. */
const along = (
  inner: Op,
  loop: Op,
  room: number,
  { facts, constantOf, forms }: Known,
): 'columns' | 'briefly' | undefined => {
  if (inner.name !== 'scf.for' || inner.results.some(({ type }) => !isFloat(type) && type !== 'i32')) return undefined;
  const [lane, row] = [loop.regions[0]!.params[0]!.id, inner.regions[0]!.params[0]!.id];
  const isParallel = loop.attrs['parallel'] === true;
  let [rows, work] = [0, 0];
  const isFit = inner.regions[0]!.ops.every((op) => {
    if (op.regions.length > 0) return false;
    const access = loadStoreOf(op);
    if (!access) {
      if (op.results.some(({ type }) => isFloat(type))) work++;
      return true;
    }
    const by = forms.coefficients(access.index);
    if (!by.has(lane)) return access.kind === 'load';
    rows++;
    const bytes = byteSize(scalarOf(access.element.type)) * Math.abs(Number(by.get(row) ?? 0n));
    return by.get(lane) === 1n && bytes >= room && (isParallel || by.size > 2);
  });
  if (!isFit || rows === 0 || rows + work > MOST) return undefined;
  const trips = tripCount(facts.control(inner)?.count, constantOf);
  return trips !== undefined && trips < LONG ? 'briefly' : 'columns';
};

/** Fewer iterations are soon over. */
const LONG = 32n;

/** Where more is done, it is that which takes the time, and registers are for it. */
const MOST = 12;
