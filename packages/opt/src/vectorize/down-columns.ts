import { byteSize, isFloat, scalarOf, walk, type Op, type Region, type Scalar, type Value } from '@filigree/ir';
import { affineForms, type AffineForms } from '../support/affine.js';
import { constantOfOp } from '../support/constant-in.js';
import type { Facts } from '../support/facts.js';
import { loadStoreOf } from '../support/load-store.js';
import { tripCount } from '../support/trip-count.js';

/** What is known of values around a loop. */
interface Known {
  readonly facts: Facts;
  readonly constantOf: (v: Value) => Scalar | undefined;
  readonly definition: (v: Value) => Op | undefined;
}

/**
 * How many bytes of a row the lanes of a nest should take at once, as sums of columns do, `for j { for i { s += a[i][j] } }`: undefined where it does not go down columns, row by row, for long. Each row is read from another page, of which
 * processors foresee nothing, and where rows are a power of two long all lie in the same few sets of the cache. So lanes take as much of a row as there are registers for sums: with 512 bytes a product of a matrix of 1,024 rows from the left takes a third of the time that it takes with 64.
 *
 * @param bytes of a vector register
 */
export const bytesDownColumns = (loop: Op, bytes: number, known: Known): number | undefined => {
  const [region] = loop.regions as readonly [Region];
  const inner = region.ops.filter((op) => op.regions.length > 0);
  const sums = Math.max(1, ...inner.map(({ results }) => results.length));
  const room = 2 ** Math.floor(Math.log2((8 * bytes) / sums));
  const forms = formsIn(region, known);
  return inner.every((op) => goesDown(op, region.params[0]!, room, forms, known)) ? room : undefined;
};

const formsIn = (region: Region, { facts, constantOf, definition }: Known): AffineForms => {
  const forms = affineForms();
  const outer = (v: Value): void => {
    const constant = constantOf(v);
    const op = definition(v);
    if (constant !== undefined && op !== undefined) forms.note(op, constant);
  };
  walk(region, (op) => {
    op.operands.forEach(outer);
    forms.note(op, constantOfOp(op, facts));
  });
  return forms;
};

/** Whether an inner loop is long, does little, and each of its iterations goes on to a row that is further away than all lanes reach. */
const goesDown = (loop: Op, lane: Value, room: number, forms: AffineForms, { facts, constantOf }: Known): boolean => {
  if (loop.name !== 'scf.for' || loop.results.some(({ type }) => !isFloat(type) && type !== 'i32')) return false;
  const [region] = loop.regions as readonly [Region];
  const row = region.params[0]!;
  const trips = tripCount(facts.control(loop)?.count, constantOf);
  if (trips !== undefined && trips < LONG) return false;
  let [rows, work] = [0, 0];
  const isFit = region.ops.every((op) => {
    if (op.regions.length > 0) return false;
    const access = loadStoreOf(op);
    if (!access) {
      if (op.results.some(({ type }) => isFloat(type))) work++;
      return true;
    }
    const by = forms.coefficients(access.index);
    const along = by.get(lane.id) ?? 0n;
    if (along === 0n) return access.kind === 'load';
    rows++;
    const size = byteSize(scalarOf(access.element.type));
    return along === 1n && Math.abs(Number(by.get(row.id) ?? 0n)) * size >= room;
  });
  return isFit && rows > 0 && rows + work <= MOST;
};

/** Fewer iterations are soon over. */
const LONG = 32n;

/** Where more is done, it is that which takes the time, and registers are for it. */
const MOST = 12;
