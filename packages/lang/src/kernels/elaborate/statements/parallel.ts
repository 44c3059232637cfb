import { rare } from '#rare';
import { AXIS_NAMES } from '@filigree/ir';
import type { AnyNode, ForOfStatement } from 'acorn';
import type { PlacedField } from '@filigree/sparse/fields';
import type { Space } from '../../code/code.js';
import { apart, originOf, placedOf, refuse, type Context, type ParallelBody } from '../context/context.js';
import { bindPattern } from '../places/pattern.js';
import { declareVars } from '../terms/var-scope.js';
import { isLiteral } from '../context/term.js';
import { visitedAt, type RunLoop } from '../expressions/visited.js';
import { siteOf } from './loop-site.js';
import { loopInterval, promisePositive, variableName } from './loop-variable.js';
import { recorded } from '../context/run.js';
import type { Scalar, Temp } from '../../code/scalar.js';

/** A parallel loop, that is an outermost one. `continue` ends an iteration. */
export const parallelLoop = (
  cx: Context,
  s: ForOfStatement,
  pattern: AnyNode,
  { space }: Pick<RunLoop, 'space'>,
  name: string | undefined,
): void => {
  const at = originOf(cx, s);
  const { session } = cx;
  const placed = space.over === 'active' ? placedOf(cx, s.right, space.field) : undefined;
  const axes = placed ? placed.axes.length : space.over === 'range' ? space.bounds.length : 0;
  if (space.over === 'active' || !space.rows) checkVariables(cx, pattern, axes);
  const bounds = space.over === 'range' ? space.bounds : [];
  for (const { step } of bounds) if (!isLiteral(step)) promisePositive(cx, s, step);
  const variables = Array.from({ length: axes }, (_, k): Temp => {
    const within = bounds[k] && loopInterval(bounds[k].from, bounds[k].to);
    return { is: 'temp', type: 'i32', hint: variableName(pattern, k), ...(within ? { within } : {}) };
  });
  const loop: ParallelBody = {
    reductions: new Map(),
    decisions: new Map(),
    reads: new Map(),
    cache: [],
    active: placed !== undefined,
    variables,
    site: placed?.unbounded ? undefined : siteOf(cx, s),
    over: placed?.path ?? [],
  };
  const skipped = { name: 'skipped' };
  const own = { break: undefined, continue: skipped };
  const named = name === undefined ? cx.exits.named : new Map([...cx.exits.named, [name, own] as const]);
  const exits = {
    loop: own,
    named: onlyInnermost(named, name),
    return: { label: skipped, value: undefined, asked: false, whole: false },
  };
  const draws = cx.random && rare().iteration(cx, s);
  const body = session.record(() => {
    const start = apart({ ...cx, parallel: loop, looped: true, exits, end: { label: skipped, left: false } });
    const inner = draws ? draws(start, variables) : start;
    bindPattern(inner, pattern, visitedAt(inner, s.right, space, variables), 'loop variable');
    const code = session.record(() => {
      declareVars(inner, s.body);
      session.append(recorded(inner, s.body));
    });
    session.emit(at, { do: 'block', label: skipped, body: code });
  });
  const accumulated = [...loop.reductions.keys(), ...loop.decisions.keys()];
  for (const local of accumulated) {
    const read = loop.reads.get(local);
    if (read)
      session.report(
        read,
        'lang/reduction',
        `\`${local.name}\` is accumulated in this parallel loop, so that its value is not known before the loop ends`,
        'read it after the loop; or use serially(…) around the range',
      );
  }
  session.reductions.push(...loop.reductions.values());
  const over: Space = placed
    ? { over: 'active', node: parentOf(cx, s.right, placed), cache: loop.cache }
    : { over: 'range', bounds: bounds.map(({ from, to, step }) => (isOne(step) ? [from, to] : [from, to, step])) };
  if (loop.decisions.size > 0) rare().undecided(cx, s, loop);
  session.emit(at, { do: 'parallel', space: over, variables, body, reductions: [...loop.reductions.values()] });
  if (loop.decisions.size > 0) rare().decided(cx, s, loop);
};

const isOne = (step: Scalar): boolean => step.is === 'literal' && step.value === 1;

/** Jumps from a parallel loop to a loop around it are recognised by name, and refused. */
const onlyInnermost = (named: Context['exits']['named'], name: string | undefined): Context['exits']['named'] =>
  new Map([...named].map(([n, target]) => [n, n === name ? target : { break: undefined, continue: undefined }]));

const checkVariables = (cx: Context, pattern: AnyNode, axes: number): void => {
  if (pattern.type !== 'ArrayPattern' || pattern.elements.length === axes) return;
  refuse(
    cx,
    pattern,
    'lang/loop-variables',
    `the loop has ${axes} ${axes === 1 ? 'axis' : 'axes'}, and ${pattern.elements.length} variables`,
    axes === 1 ? 'write for (const i of …)' : `write for (const [${[...AXIS_NAMES].slice(0, axes).join(', ')}] of …)`,
  );
};

/** The node whose cells a loop over the active elements of a field visits. */
const parentOf = (cx: Context, node: AnyNode, placed: PlacedField): string => {
  const { nodes } = cx.session.layout;
  const place = placed.path[placed.path.length - 1];
  const parent = nodes[nodes[place].parent];
  return parent.id > 0
    ? parent.name
    : refuse(cx, node, 'lang/not-placed', 'the field has no axes', 'place it in a node');
};
