import { lanesOf, type Op, type Value } from '@filigree/ir';
import { exp, isOrdinary, log, log2, pow, tanh } from './exponential.js';
import { acos, asin, atan, atan2, hypot } from './inverse.js';
import type { Lanes } from './lanes.js';
import { cos, isNear, sin, tan } from './trigonometric.js';

/** What the result of an op is, on vectors of f32. */
export type Expansion = (op: Op, l: Lanes) => Value;

const unary =
  (f: (x: Value, l: Lanes) => Value): Expansion =>
  (op, l) =>
    f(op.operands[0]!, l);

const binary =
  (f: (x: Value, y: Value, l: Lanes) => Value): Expansion =>
  (op, l) =>
    f(op.operands[0]!, op.operands[1]!, l);

/** One by one where a lane has numbers for which an expansion does not hold. */
const where =
  (holds: (l: Lanes, ...operands: readonly Value[]) => Value, expand: Expansion): Expansion =>
  (op, l) => {
    const { b } = l;
    const value = expand(op, l);
    const oneByOne = (): Value =>
      Array.from({ length: lanesOf(value.type) }).reduce<Value>((whole, _, lane) => {
        const numbers = op.operands.map((v) => b.extract(v, lane));
        return b.insert(whole, b.value(op.name, numbers), lane);
      }, value);
    return b.if(b.reduce('or', b.not(holds(l, ...op.operands))), oneByOne, () => value)[0]!;
  };

const near = (f: (x: Value, l: Lanes) => Value): Expansion => where((l, x) => isNear(x!, l), unary(f));

/** Functions of vectors as arithmetic, by op. */
export const expansions: Readonly<Record<string, Expansion | undefined>> = {
  'math.exp': unary(exp),
  'math.log': unary(log),
  'math.log2': unary(log2),
  'math.tanh': unary(tanh),
  'math.pow': where((l, x, y) => isOrdinary(x!, y!, l), binary(pow)),
  'math.sin': near(sin),
  'math.cos': near(cos),
  'math.tan': near(tan),
  'math.asin': unary(asin),
  'math.acos': unary(acos),
  'math.atan': unary(atan),
  'math.atan2': binary(atan2),
  'math.hypot': binary(hypot),
};
