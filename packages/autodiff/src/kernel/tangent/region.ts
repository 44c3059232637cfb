import {
  algebraOf,
  fail,
  isFloat,
  type Builder,
  type Op,
  type Region,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { isGiven } from '../values/is-given.js';
import { ruleOf } from '../values/rule.js';
import { adjointsAsked } from '../reverse/where-reached.js';
import { forwardControl, isControl } from './control.js';
import { forwardElement } from './elements.js';
import {
  copyOp,
  loseResults,
  setTangent,
  tangentOf,
  tangentOrZero,
  valueOf,
  type Around,
  type Forward,
} from './forward.js';
import { forwardGiven } from './given.js';

/** Appends what the ops of a region do, but for its terminator, and beside it what that does to tangents. */
export const forwardRegion = (f: Forward, b: Builder, { ops }: Region, around: Around): void => {
  for (const op of ops) {
    if (f.table.get(op.name)!.traits.terminator === true) continue;
    b.loc = op.loc;
    forwardOp(f, b, op, around);
  }
};

const forwardOp = (f: Forward, b: Builder, op: Op, around: Around): void => {
  const twins = f.twinsOf(op);
  if (twins.length > 0) return forwardElement(f, b, op, twins, around);
  if (isGiven(op)) return forwardGiven(f, b, op);
  if (op.regions.length > 0) {
    const control = f.controlOf(op);
    if (isControl(control)) return forwardControl(f, b, op, control, around);
    fail('tangent/no-rule', `'${op.name}' has no derivative that is known`, {
      loc: op.loc,
      remedy: 'write it by loops and branches of the language',
    });
  }
  refuseWrites(f, op);
  if (around.settles && writesElsewhere(f, op)) return loseResults(f, b, op);
  forwardScalar(f, b, op);
};

/** Ops that compute: by the table of derivatives. The tangent of a result is the sum of what each operand gives. */
const forwardScalar = (f: Forward, b: Builder, op: Op): void => {
  const [now] = copyOp(f, b, op);
  const [result] = op.results;
  if (!result || !isFloat(result.type) || !op.operands.some((v) => tangentOf(f, v))) return;
  if (op.name === 'arith.cast')
    return setTangent(f, result, b.cast(tangentOf(f, op.operands[0])!, result.type as ScalarType));
  const asked = adjointsAsked(op, f.definition);
  if (asked) return setTangent(f, result, untouched(f, b, op, asked));
  const rule = ruleOf(f.derivatives, op, 'tangent');
  if (!rule) return;
  const s = algebraOf(b, result.type);
  const operands = op.operands.map((v) => valueOf(f, v));
  if (rule.choice) {
    const [first, second] = rule.choice.arms.map((n) => tangentOrZero(f, b, op.operands[n]));
    return setTangent(f, result, s.select(rule.choice.first(s, ...operands), first, second));
  }
  const terms = op.operands.flatMap((v, n) => {
    const tangent = tangentOf(f, v);
    const term = tangent && rule.times(s, tangent, now, ...operands)[n];
    return term ? [term] : [];
  });
  if (terms.length > 0)
    setTangent(
      f,
      result,
      terms.reduce((sum, term) => s.add(sum, term)),
    );
};

/** The tangent of a contribution that is nothing where adjoints are 0, and stay so. */
const untouched = (f: Forward, b: Builder, { operands }: Op, adjoints: readonly Value[]): Value => {
  const stays = adjoints
    .flatMap((v) => tangentOf(f, v) ?? [])
    .map((t) => b.cmp('eq', t, b.constant(0, t.type)))
    .reduce((all, one) => b.and(all, one), valueOf(f, operands[0]));
  return b.select(stays, tangentOrZero(f, b, operands[1]), tangentOrZero(f, b, operands[2]));
};

const WRITES_NAMED_FIELDS: ReadonlySet<string> = new Set(['field.store', 'field.store_word', 'field.atomic']);

/**
 * Ops that write what has tangents in a way that is not known: where they write the tangents too, as what clears cells does, all is well. What writes fields
 * by their names, none of which has tangents here, leaves others that lie in the same words as they are, or rounds them.
 */
const refuseWrites = (f: Forward, op: Op): void => {
  const effects = f.table.get(op.name)!.effects(op);
  const written = new Set(effects.filter((e) => e.kind !== 'read').map((e) => e.buffer));
  for (const place of WRITES_NAMED_FIELDS.has(op.name) ? [] : written) {
    const twin = place === undefined ? undefined : f.places.get(place);
    if (twin !== undefined && !written.has(twin))
      fail('tangent/no-rule', `'${op.name}' changes '${place!}', and not its tangents`, {
        loc: op.loc,
        remedy: 'let the tangents lie beside their primals, or do it in a kernel of its own',
      });
  }
  if (op.operands.some((v) => tangentOf(f, v)) && written.size > 0)
    fail('tangent/no-tangent', `'${op.name}' writes what has a derivative to what has no tangent`, {
      loc: op.loc,
      remedy: 'give the field a tangent too',
    });
};

const writesElsewhere = (f: Forward, op: Op): boolean =>
  f.table
    .get(op.name)!
    .effects(op)
    .some((e) => e.kind !== 'read' && !(e.buffer !== undefined && f.own.has(e.buffer)));
