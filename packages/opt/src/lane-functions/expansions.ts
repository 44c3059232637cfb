import { lanesOf, type Op, type Value } from '@filigree/ir';
import { exp, log, log2, tanh } from './exponential.js';
import { acos, asin, atan, atan2, hypot } from './inverse.js';
import type { Lanes } from './lanes.js';
import { cos, farOff, sin, tan } from './trigonometric.js';

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

/** Made of arithmetic unless a lane is too far off. */
const near =
  (f: (x: Value, l: Lanes) => Value): Expansion =>
  (op, l) => {
    const { b } = l;
    const [x] = op.operands as readonly [Value];
    const value = f(x, l);
    const oneByOne = (): Value =>
      Array.from({ length: lanesOf(x.type) }).reduce<Value>(
        (whole, _, lane) => b.insert(whole, b.value(op.name, [b.extract(x, lane)]), lane),
        value,
      );
    return b.if(b.reduce('or', farOff(x, l)), oneByOne, () => value)[0]!;
  };

/** Functions of vectors as arithmetic, by op. */
export const expansions: Readonly<Record<string, Expansion | undefined>> = {
  'math.exp': unary(exp),
  'math.log': unary(log),
  'math.log2': unary(log2),
  'math.tanh': unary(tanh),
  'math.sin': near(sin),
  'math.cos': near(cos),
  'math.tan': near(tan),
  'math.asin': unary(asin),
  'math.acos': unary(acos),
  'math.atan': unary(atan),
  'math.atan2': binary(atan2),
  'math.hypot': binary(hypot),
};
