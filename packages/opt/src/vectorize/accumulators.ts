import { rare } from '#rare';
import { isFloat, scalarOf, useCounts, type Builder, type Op, type Value } from '@filigree/ir';
import { identityOf } from '../support/identity.js';
import { bodyOf, terminatorOf } from '../support/values.js';
import { choicesOf, type Choice } from './choosing.js';

/** How the lanes of a loop accumulate one of its carried values: `choose` where it is replaced along with the least or greatest. */
export type Accumulation = (typeof KINDS)[number] | 'choose';

const KINDS = ['add', 'min', 'max'] as const;

/** How a loop accumulates each of its carried values; none where it carries nothing, undefined where it does more with one. */
export const accumulatorsOf = (loop: Op): readonly Accumulation[] | undefined => {
  const body = loop.regions[0]!;
  const uses = useCounts(body);
  const chosen = new Set(choicesOf(loop).flatMap(({ carried }) => carried));
  const kinds = body.params.slice(1).map((carried, k): Accumulation | undefined => {
    if (chosen.has(k)) return 'choose';
    const next = terminatorOf(body).operands[k]!;
    const op = bodyOf(body).find((o) => o.results.some((v) => v.id === next.id));
    const kind = op && combining.get(op.name);
    const isAlone = uses.get(next.id) === 1 && uses.get(carried.id) === 1;
    const combines = op?.operands.some((v, k) => v.id === carried.id && (k === 0 || op.name !== 'arith.sub'));
    return kind !== undefined && isAlone && combines && scalarOf(carried.type) !== 'i1' ? kind : undefined;
  });
  return kinds.every((kind) => kind !== undefined) ? kinds : undefined;
};

/* What is subtracted is added up as well: from nothing in each lane. */
const combining = new Map<string, Accumulation>([
  ...KINDS.map((kind): [string, Accumulation] => [`arith.${kind}`, kind]),
  ['arith.sub', 'add'],
]);

/** Whether a loop does nothing but accumulate, in any order. */
export const accumulates = (op: Op): boolean =>
  op.name === 'scf.for' && op.attrs['independent'] === true && op.attrs['simd'] !== false && op.results.length > 0;

/** Whether a loop keeps the least or greatest of floats, or what goes with one, which C compilers leave off lanes: a NaN is to stay, whatever comes after it. */
export const keepsExtreme = (loop: Op): boolean =>
  accumulatorsOf(loop)?.some(
    (kind, k) => kind === 'choose' || (kind !== 'add' && isFloat(scalarOf(loop.results[k]!.type))),
  ) ?? false;

/** Vectors in which nothing has been accumulated yet; those of choices hold what the loop begins with. */
export const emptyVectors = (
  b: Builder,
  loop: Op,
  kinds: readonly Accumulation[],
  choices: readonly Choice[],
  lanes: number,
): readonly Value[] => [
  ...kinds.map((kind, k) => {
    const type = scalarOf(loop.results[k]!.type);
    return b.splat(kind === 'choose' ? loop.operands[3 + k]! : b.constant(identityOf(kind, type), type), lanes);
  }),
  ...(choices.length > 0 ? rare().noTurns(b, loop, choices, lanes) : []),
];

/** What vectors hold for each carried value, one after the other, with what it was before the loop. */
export const accumulated = (
  b: Builder,
  loop: Op,
  kinds: readonly Accumulation[],
  choices: readonly Choice[],
  vectors: readonly (readonly Value[])[],
): readonly Value[] => {
  const chosen = choices.length > 0 ? rare().allChosen(b, kinds.length, choices, vectors) : new Map<number, Value>();
  return kinds.map((kind, k) => {
    if (kind === 'choose') return chosen.get(k)!;
    const mine = vectors.map((own) => own[k]!).reduce(b[kind]);
    return b[kind](loop.operands[3 + k]!, b.reduce(kind, mine));
  });
};
