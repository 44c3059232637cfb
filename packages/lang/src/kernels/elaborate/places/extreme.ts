import type { AnyNode } from 'acorn';
import { bare } from '../../../source/ast.js';
import { asScalar, refuse, type Context } from '../context/context.js';
import { value } from '../expressions/evaluate.js';
import type { Combination, Extreme } from './reduction.js';
import { isSamePlace } from './same-place.js';
import { withoutEffects } from '../expressions/without-effects.js';

/**
 * Which extreme `if (test) s = x` and `s = test ? x : s` keep, of `x > s`, `s < x` and the like.
 *
 * @param target s
 * @param of x
 */
export const extremeOf = (cx: Context, target: AnyNode, test: AnyNode, of: AnyNode): Extreme | undefined => {
  const t = bare(test);
  if (t.type !== 'BinaryExpression' || !/^[<>]=?$/.test(t.operator)) return undefined;
  const swapped = isSamePlace(cx, target, t.left);
  const [x, s] = swapped ? [t.right, t.left] : [t.left, t.right];
  if (!isSamePlace(cx, target, s) || codeOf(bare(x as AnyNode)) !== codeOf(bare(of))) return undefined;
  return { extreme: t.operator.startsWith('>') === swapped ? 'min' : 'max', of };
};

/** What a node says, wherever it stands. */
const codeOf = (node: AnyNode): string =>
  JSON.stringify(node, (key, value: unknown) =>
    ['start', 'end', 'loc'].includes(key) ? undefined : typeof value === 'bigint' ? String(value) : value,
  );

/** What of it is a number goes into the variable: a comparison with NaN does not hold. */
export const numbersOf = (cx: Context, { extreme, of }: Extreme): Combination | undefined => {
  const term = withoutEffects(cx, (inner) => asScalar(inner, of, value(inner, of)));
  return term && { kind: extreme, term, numbersOnly: true };
};

/**
 * `{ s = x; at = i; }`, where what else is kept would be of another iteration: the loop runs in order in the next attempt, so that the first or the last of equals is kept as
 * in plain TypeScript. Refused in a loop that cannot.
 */
export const keepsPlace = (cx: Context, node: AnyNode, best: AnyNode, place: AnyNode): never => {
  if (cx.parallel?.site !== undefined) cx.session.keepsPlace(cx.parallel.site);
  const [name, other] = [best, place].map(({ start, end }) => cx.unit.text.parsed.text.slice(start, end));
  return refuse(
    cx,
    node,
    'lang/parallel-write',
    `\`${name}\` and \`${other}\` belong together, and between the two another iteration of the parallel loop may come`,
    `find \`${name}\` in this loop, and in one after it the first place that has it: let first = n, then if (x === ${name}) first = Math.min(first, i)`,
  );
};
