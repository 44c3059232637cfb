import {
  isInteger,
  opWith,
  scalarOf,
  useCounts,
  type Builder,
  type Op,
  type Scalar,
  type Type,
  type Value,
} from '@filigree/ir';
import { identityOf } from '../support/identity.js';
import { bodyOf, terminatorOf } from '../support/values.js';
import type { Choice } from './choosing.js';

/** The choices of a loop between carried values that it needs for nothing else. */
export const choicesIn = (loop: Op): readonly Choice[] => {
  const body = loop.regions[0]!;
  const uses = useCounts(body);
  const made = new Map(bodyOf(body).flatMap((op) => op.results.map((v): [number, Op] => [v.id, op])));
  const groups = new Map<number, number[]>();
  body.params.slice(1).forEach((param, k) => {
    const next = terminatorOf(body).operands[k]!;
    const op = made.get(next.id);
    if (op?.name !== 'arith.select' || op.operands[2]!.id !== param.id || uses.get(next.id) !== 1) return;
    const condition = op.operands[0]!.id;
    groups.set(condition, [...(groups.get(condition) ?? []), k]);
  });
  return [...groups.values()].flatMap((group) => choiceOf(loop, group, made, uses) ?? []);
};

const choiceOf = (
  loop: Op,
  group: readonly number[],
  made: ReadonlyMap<number, Op>,
  uses: ReadonlyMap<number, number>,
): Choice | undefined => {
  const body = loop.regions[0]!;
  const carried = body.params.slice(1);
  const nextOf = (k: number): Op | undefined => made.get(terminatorOf(body).operands[k]!.id);
  const condition = nextOf(group[0]!)!.operands[0]!;
  if (uses.get(condition.id) !== group.length) return undefined;
  for (const test of conjuncts(condition, made, uses)) {
    const best = carried.findIndex((param) => test.operands.some((v) => v.id === param.id));
    if (best < 0) continue;
    const place = test.operands.findIndex((v) => v.id === carried[best]!.id);
    const beyond = predicates.get(String(test.attrs['predicate']));
    if (!beyond || scalarOf(carried[best]!.type) === 'i1') return undefined;
    const found = test.operands[1 - place]!;
    const keeps = (place === 1) === beyond.greater ? 'max' : 'min';
    const isKept = group.includes(best)
      ? nextOf(best)!.operands[1]!.id === found.id
      : test.results[0]!.id === condition.id && isExtreme(nextOf(best), keeps, [carried[best]!, found], uses);
    const all = [best, ...group.filter((k) => k !== best)];
    if (!isKept || !all.every((k) => uses.get(carried[k]!.id) === (k === best ? 2 : 1))) return undefined;
    const turn = group.find((k) => nextOf(k)!.operands[1]!.id === body.params[0]!.id);
    return { carried: all, keeps, last: beyond.equal, condition, turn: beyond.equal ? undefined : turn };
  }
  return undefined;
};

/** Whether an op is the least or greatest of two integers, as a choice between them becomes, and nothing else needs it. */
const isExtreme = (
  op: Op | undefined,
  keeps: 'min' | 'max',
  of: readonly Value[],
  uses: ReadonlyMap<number, number>,
): boolean =>
  op?.name === `arith.${keeps}` &&
  isInteger(op.results[0]!.type) &&
  uses.get(op.results[0]!.id) === 1 &&
  of.every((v) => op.operands.some(({ id }) => id === v.id));

const predicates = new Map([
  ['gt', { greater: true, equal: false }],
  ['ge', { greater: true, equal: true }],
  ['lt', { greater: false, equal: false }],
  ['le', { greater: false, equal: true }],
]);

/** The comparisons that all hold where a condition does, and are needed for nothing else. */
const conjuncts = (
  condition: Value,
  made: ReadonlyMap<number, Op>,
  uses: ReadonlyMap<number, number>,
): readonly Op[] => {
  const op = made.get(condition.id);
  if (op?.name === 'arith.cmp') return [op];
  if (op?.name !== 'arith.and') return [];
  return op.operands.flatMap((v) => (uses.get(v.id) === 1 ? conjuncts(v, made, uses) : []));
};

/** The loop, which carries besides, for each choice of which nothing tells it, the iteration of the last replacement. */
export const withTurns = (b: Builder, loop: Op, choices: readonly Choice[]): Op => {
  const untold = choices.filter(({ turn }) => turn === undefined);
  if (untold.length === 0) return loop;
  const body = loop.regions[0]!;
  const iteration = body.params[0]!;
  const params = untold.map(() => b.newValue(iteration.type));
  const { ops } = b.inPlace(() => {
    bodyOf(body).forEach((op) => void b.append(op));
    const turns = untold.map(({ condition }, k) => b.select(condition, iteration, params[k]!));
    const last = terminatorOf(body);
    b.append(opWith(last, { operands: [...last.operands, ...turns] }));
  });
  return opWith(loop, { regions: [{ params: [...body.params, ...params], ops }] });
};

/** What stands for the turn of a choice that has not been made: it comes behind all others. */
const noTurn = ({ last }: Choice, type: Type): Scalar => identityOf(last ? 'max' : 'min', scalarOf(type));

/** The turns that such a loop carries besides, before any choice was made on any lane. */
export const noTurns = (b: Builder, loop: Op, choices: readonly Choice[], lanes: number): readonly Value[] =>
  choices
    .filter(({ turn }) => turn === undefined)
    .map((c) => {
      const { type } = loop.regions[0]!.params[0]!;
      return b.splat(b.constant(noTurn(c, type), scalarOf(type)), lanes);
    });

/** Where among what such a loop carries the turn of each choice is. */
const turnsAmong = (carried: number, choices: readonly Choice[]): readonly number[] => {
  let next = carried;
  return choices.map(({ turn }) => turn ?? next++);
};

/** Values that were chosen, by vectors or lane by lane: what was compared, the others, and when. */
interface Chosen {
  readonly values: readonly Value[];
  readonly turn: Value;
}

/** Of two that were chosen, lane by lane, the one that all of their iterations in a row would have. */
const chosenOf = (b: Builder, { keeps, last }: Choice, one: Chosen, other: Chosen): Chosen => {
  const [kept, found] = [one.values[0]!, other.values[0]!];
  const isSooner = b.cmp(last ? 'gt' : 'lt', other.turn, one.turn);
  const isBeyond = b.cmp(keeps === 'max' ? 'gt' : 'lt', found, kept);
  const takes = b.or(isBeyond, b.and(b.cmp('eq', found, kept), isSooner));
  return {
    values: one.values.map((v, k) => b.select(takes, other.values[k]!, v)),
    turn: b.select(takes, other.turn, one.turn),
  };
};

/** What was chosen of all lanes of vectors. */
const chosenOfLanes = (b: Builder, choice: Choice, { values, turn }: Chosen): readonly Value[] => {
  const { keeps, last } = choice;
  const lanes = b.lanes(turn);
  const splat = (v: Value): Value => b.splat(v, lanes);
  /* Where what was compared first is NaN, it is on each lane: nothing is beyond it. */
  const best = splat(b.reduce(keeps, values[0]!));
  const isBehind = b.cmp(keeps === 'max' ? 'lt' : 'gt', values[0]!, best);
  const turns = b.select(isBehind, splat(b.constant(noTurn(choice, turn.type), scalarOf(turn.type))), turn);
  const isIt = b.and(b.not(isBehind), b.cmp('eq', turns, splat(b.reduce(last ? 'max' : 'min', turns))));
  return values.map((v) => {
    const type = scalarOf(v.type);
    if (type === 'i1') return b.reduce('or', b.and(isIt, v));
    return b.reduce('max', b.select(isIt, v, splat(b.constant(identityOf('max', type), type))));
  });
};

/** What vectors of a loop have chosen in the end, by number among what it carries. */
export const allChosen = (
  b: Builder,
  carried: number,
  choices: readonly Choice[],
  vectors: readonly (readonly Value[])[],
): ReadonlyMap<number, Value> => {
  const turns = turnsAmong(carried, choices);
  const chosen = new Map<number, Value>();
  choices.forEach((choice, n) => {
    const all = vectors.map((own): Chosen => ({ values: choice.carried.map((k) => own[k]!), turn: own[turns[n]!]! }));
    const one = chosenOfLanes(
      b,
      choice,
      all.reduce((x, y) => chosenOf(b, choice, x, y)),
    );
    choice.carried.forEach((k, at) => chosen.set(k, one[at]!));
  });
  return chosen;
};
