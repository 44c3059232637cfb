import {
  byteSize,
  isFloat,
  isInteger,
  SCRATCH_BYTES,
  type Op,
  type RewriteContext,
  type ScalarType,
} from '@filigree/ir';
import { affineForms, type AffineForms } from '../support/affine.js';
import { constantIn, constantOfOp } from '../support/constant-in.js';
import type { Facts } from '../support/facts.js';
import { loadStoreOf, type LoadStore } from '../support/load-store.js';
import { bodyOf } from '../support/values.js';

/** Words that lie at one place in the records of a loop, one record to an iteration. */
export interface StridedPlace {
  readonly type: ScalarType;
  readonly loads: Op[];
  store?: Op;
}

/**
 * The places of the words that an innermost loop without branches reads and writes, where it is worth while to bring them together, and may be
 * done: stores all go to such places, to each of them once and after it was read, and no two places of a buffer can meet.
 *
 * @param chunk the iterations whose words are brought together
 */
export const stridedPlaces = (
  loop: Op,
  ctx: RewriteContext,
  facts: Facts,
  chunk: number,
): readonly StridedPlace[] | undefined => {
  const seen = seenIn(loop, ctx, facts);
  if (!seen) return undefined;
  const places = [...seen.places.values()];
  const bytes = places.reduce((sum, p) => sum + chunk * byteSize(p.type), 0);
  /* Copies take two accesses a word. */
  const pays = places.length > 0 && seen.floats && seen.work >= 4 * places.length && bytes <= SCRATCH_BYTES / 4;
  const isClear = places.every(({ store }) => {
    const buffer = store && bufferOf(store);
    return buffer === undefined || (!seen.others.has(buffer) && seen.records.get(buffer)!.size === 1);
  });
  return pays && isClear ? places : undefined;
};

interface Seen {
  readonly places: Map<string, StridedPlace>;
  /** Buffers of which other elements are read. */
  readonly others: Set<string>;
  /** For each buffer with places, what their indices are but for constants. */
  readonly records: Map<string, Set<string>>;
  /** Ops that compute, and whether any is on floats. */
  work: number;
  floats: boolean;
}

const seenIn = (loop: Op, ctx: RewriteContext, facts: Facts): Seen | undefined => {
  const counter = loop.regions[0]!.params[0]!.id;
  const seen: Seen = { places: new Map(), others: new Set(), records: new Map(), work: 0, floats: false };
  const forms = affineForms();
  const varying = new Set([counter]);
  for (const op of bodyOf(loop.regions[0]!)) {
    const values = [...op.operands, ...op.results];
    if (op.regions.length > 0 || values.some((v) => typeof v.type !== 'string')) return undefined;
    for (const v of op.operands) {
      const value = constantIn(v, ctx.definition, facts);
      if (value !== undefined) forms.note(ctx.definition(v)!, value);
    }
    const access = loadStoreOf(op);
    if (access ? !noteAccess(seen, op, access, forms, counter, varying) : !facts.pure(op)) return undefined;
    if (access ? access.kind === 'load' : op.operands.some((v) => varying.has(v.id)))
      for (const v of op.results) varying.add(v.id);
    if (access) continue;
    forms.note(op, constantOfOp(op, facts));
    seen.work++;
    seen.floats ||= op.results.some((v) => isFloat(v.type));
  }
  return seen;
};

/** Whether a load or store lets words be brought together. */
const noteAccess = (
  seen: Seen,
  op: Op,
  { kind, index, element }: LoadStore,
  forms: AffineForms,
  counter: number,
  varying: ReadonlySet<number>,
): boolean => {
  const buffer = bufferOf(op);
  const coefficients = forms.coefficients(index);
  const stride = coefficients.get(counter) ?? 0n;
  const isApart =
    isInteger(element.type) &&
    (stride > NEAR || stride < -NEAR) &&
    [...coefficients.keys()].every((id) => id === counter || !varying.has(id));
  if (!isApart) {
    seen.others.add(buffer);
    return kind === 'load';
  }
  const { terms, offset } = forms.of(index);
  seen.records.set(buffer, (seen.records.get(buffer) ?? new Set()).add(terms));
  const key = `${buffer} ${terms} ${offset}`;
  const place = seen.places.get(key) ?? { type: element.type as ScalarType, loads: [] };
  seen.places.set(key, place);
  if (place.store) return false;
  if (kind === 'load') place.loads.push(op);
  else place.store = op;
  return true;
};

/** Compilers bring words together themselves that are so many places apart. */
const NEAR = 4n;

const bufferOf = (op: Op): string => String(op.attrs['buffer']);
