import { rare } from '#rare';
import type { AnyNode, DoWhileStatement, ForInStatement, ForOfStatement, ForStatement, WhileStatement } from 'acorn';
import { bare, children, count } from '../../../source/ast.js';
import { patternNames, type Binding } from '../../../source/scope.js';
import { type Block, type Label, type Loop } from '../../code/code.js';
import { literal, type Scalar, type Temp } from '../../code/scalar.js';
import { apart, originOf, refuse, type Context } from '../context/context.js';
import { hostFunction } from '../expressions/callee.js';
import { parallelLoop } from './parallel.js';
import { bindPattern } from '../places/pattern.js';
import { itemsOf } from '../terms/items.js';
import { framed } from '../terms/sharing.js';
import { keepingVars } from '../terms/var-scope.js';
import { isLiteral, type Bounds, type Term } from '../context/term.js';
import { condition, value } from '../expressions/evaluate.js';
import { effect } from '../places/effect.js';
import { Env } from '../context/env.js';
import { keptWhile } from '../terms/iterated.js';
import { recorded, run } from '../context/run.js';
import { allIndices, timesOf, visitedAt, visitedBy, type RunLoop, type Visited } from '../expressions/visited.js';
import { variableName } from './loop-variable.js';
import { counting } from './counting.js';
import { siteOf } from './loop-site.js';

/** A loop's labels, and the context of its body. */
interface LoopLabels {
  readonly break: Label;
  readonly continue: Label;
  readonly body: Context;
}

const labels = (cx: Context, name: string | undefined, looped = true): LoopLabels => {
  const own = { break: { name: 'broken' }, continue: { name: 'skipped' } };
  const named = name === undefined ? cx.exits.named : new Map([...cx.exits.named, [name, own] as const]);
  return { ...own, body: apart({ ...cx, looped: cx.looped || looped, exits: { ...cx.exits, loop: own, named } }) };
};

/** `while (test) body`. */
export const whileLoop = (cx: Context, s: WhileStatement, name: string | undefined): void => {
  if (isStepped(cx, s)) return;
  const at = originOf(cx, s);
  const own = labels(cx, name);
  let test: Scalar = literal(true);
  const before = cx.session.record(() => (test = dynamicCondition(own.body, s.test)));
  if (isLiteral(test) && test.value === false) return;
  const body = cx.session.record(() =>
    cx.session.emit(at, { do: 'block', label: own.continue, body: recorded(own.body, s.body) }),
  );
  const loop: Loop = { do: 'loop', test: before, condition: test, body, update: [] };
  cx.session.emit(at, { do: 'block', label: own.break, body: [{ ...loop, at }] });
};

/** `do body while (test)`: the body is part of the test. */
export const doWhile = (cx: Context, s: DoWhileStatement, name: string | undefined): void => {
  if (isStepped(cx, s)) return;
  const at = originOf(cx, s);
  const own = labels(cx, name);
  let test: Scalar = literal(true);
  const before = cx.session.record(() => {
    cx.session.emit(at, { do: 'block', label: own.continue, body: recorded(own.body, s.body) });
    test = dynamicCondition(own.body, s.test);
  });
  const loop: Loop = { do: 'loop', test: before, condition: test, body: [], update: [] };
  cx.session.emit(at, { do: 'block', label: own.break, body: [{ ...loop, at }] });
};

const dynamicCondition = (cx: Context, node: AnyNode): Scalar => {
  const test = condition(cx, node);
  return typeof test === 'boolean' ? literal(test) : test;
};

/** `for (init; test; update) body`. */
export const countedFor = (cx: Context, s: ForStatement, name: string | undefined): void => {
  const short = shortCount(cx, s);
  if (short && isWrittenOut(cx, s)) return writeOut(cx, s, short, name);
  const at = originOf(cx, s);
  const own = labels(cx, name);
  mayBeWrittenOut(cx, s, own.body, short !== undefined);
  if (short) noteCounters(cx, s, short.id);
  if (s.init?.type === 'VariableDeclaration') run(cx, [s.init]);
  else if (s.init) effect(cx, s.init);
  if (isStepped(cx, s)) return;
  let test: Scalar = literal(true);
  const before = cx.session.record(() => {
    if (s.test) test = dynamicCondition(own.body, s.test);
  });
  const body = cx.session.record(() =>
    cx.session.emit(at, { do: 'block', label: own.continue, body: recorded(own.body, s.body) }),
  );
  const update = cx.session.record(() => {
    if (s.update) effect(own.body, s.update);
  });
  const counted = countedLocal(cx, s, [...body, ...update]);
  const loop: Loop = { do: 'loop', test: before, condition: test, body, update, ...(counted ? { counted } : {}) };
  cx.session.emit(at, { do: 'block', label: own.break, body: [{ ...loop, at }] });
};

/** How often a loop runs at most that is written out because an array grows in it. */
const SHORT = 256;

/** Whether an attempt before found that the length of an array is known only if this loop is written out. */
const isWrittenOut = (cx: Context, s: AnyNode): boolean => cx.session.known.writtenOut.has(siteOf(cx, s));

/** Notes of a loop whether it can be written out, for which an array asks that grows in its body; one that cannot may where those around it are. */
const mayBeWrittenOut = (cx: Context, s: AnyNode, body: Context, short: boolean): void =>
  void cx.session.counted.set(body.stretch, { site: short ? siteOf(cx, s) : undefined, around: cx.stretch });

/** Notes by what names a short loop counts: what they index must be known when the kernel is compiled if it is one of several fields. */
const noteCounters = (cx: Context, s: AnyNode, pattern: AnyNode): void => {
  for (const id of patternNames(pattern)) {
    const binding = cx.unit.text.parsed.scopes.bindingOf(id);
    if (binding) cx.session.counters.set(binding, siteOf(cx, s));
  }
};

/** Whether a loop asks for a number by which a field is chosen, and was written out. */
const isStepped = (cx: Context, s: WhileStatement | DoWhileStatement | ForStatement): boolean =>
  cx.session.known.stepped.size > 0 && rare().writtenOutBySteps(cx, s, SHORT);

/** What a loop counts through whose numbers are known, and the bound, as it is written. */
interface Count {
  readonly id: AnyNode;
  readonly numbers: readonly number[];
  readonly bound: AnyNode;
}

/** What a short loop counts through, `for (let i = a; i < b; i += c)`, where nothing else assigns to i. */
const shortCount = (cx: Context, s: ForStatement): Count | undefined => {
  if (s.init?.type !== 'VariableDeclaration' || s.init.declarations.length !== 1 || s.init.kind === 'var')
    return undefined;
  const [{ id, init }] = s.init.declarations;
  const { scopes } = cx.unit.text.parsed;
  const binding = scopes.bindingOf(id);
  if (!binding || binding.values.length !== 2 || !init || !s.test || !s.update) return undefined;
  /* It is not declared yet, so that neither its end nor its step may be looked at if they are made of it: `i < n - i`, `i += i`. */
  const isVariable = (node: AnyNode): boolean => scopes.bindingOf(node) === binding;
  if (count(s.test, isVariable) !== 1 || count(s.update, isVariable) !== 1) return undefined;
  const end = endOf(cx, s.test, binding, true);
  const step = end && stepOf(cx, s.update, binding);
  if (!end || step === undefined || step > 0 !== end.isAbove) return undefined;
  const [from, bound] = [knownWhole(cx, init), knownWhole(cx, end.at)];
  if (from === undefined || bound === undefined) return undefined;
  const to = bound - end.ahead;
  const times = Math.max(0, Math.ceil((to - from + (end.inclusive ? Math.sign(step) : 0)) / step));
  return times <= SHORT
    ? { id, numbers: Array.from({ length: times }, (_, k) => from + k * step), bound: end.at }
    : undefined;
};

/** The whole number that an expression is known to be. */
const knownWhole = (cx: Context, node: AnyNode): number | undefined => {
  const known = isPlain(cx, node) ? quiet(cx, node) : undefined;
  return known && isLiteral(known) && Number.isInteger(known.value) ? Number(known.value) : undefined;
};

/** A loop that counts as its iterations, one after the other. */
const writeOut = (cx: Context, s: ForStatement, { id, numbers, bound }: Count, name: string | undefined): void => {
  const before = knownWhole(cx, bound);
  unroll(
    cx,
    s,
    id,
    numbers.map((k) => ({ item: () => literal(k) })),
    name,
  );
  if (knownWhole(cx, bound) !== before) rare().refuseMovingBound(cx, s);
};

/**
 * `for (let i = a; i < b; i += c)` and `for (let i = a; i > b; i -= c)` count, when nothing else assigns to i, and b stays the same while the loop runs: it is computed from what
 * these `iterations` do not change. Then it is computed before the loop.
 */
const countedLocal = (cx: Context, s: ForStatement, iterations: Block): Loop['counted'] | undefined => {
  const { scopes } = cx.unit.text.parsed;
  if (s.init?.type !== 'VariableDeclaration' || s.init.declarations.length !== 1 || !s.test || !s.update)
    return undefined;
  const [{ id, init }] = s.init.declarations;
  const binding = scopes.bindingOf(id);
  const slot = binding && cx.env.lookup(binding);
  if (!binding || !init || s.init.kind === 'var' || binding.values.length !== 2 || slot?.is !== 'variable')
    return undefined;
  if (slot.locals.length !== 1) return undefined;
  const end = endOf(cx, s.test, binding);
  const step = end && stepOf(cx, s.update, binding);
  if (!end || step === undefined || step > 0 !== end.isAbove) return undefined;
  const bound = invariant(cx, end.at, iterations);
  return bound && { local: slot.locals[0], bound, inclusive: end.inclusive, step };
};

/** What a variable is compared with, whichever side it stands on, and what is added to it there: of `i + 1 < n`, where that may be, 1. */
const endOf = (
  cx: Context,
  node: AnyNode,
  binding: Binding,
  mayBeAhead = false,
):
  | { readonly at: AnyNode; readonly isAbove: boolean; readonly inclusive: boolean; readonly ahead: number }
  | undefined => {
  const test = bare(node);
  if (test.type !== 'BinaryExpression' || !['<', '<=', '>', '>='].includes(test.operator)) return undefined;
  const aheadOf = (side: AnyNode): number | undefined => {
    const e = bare(side);
    if (cx.unit.text.parsed.scopes.bindingOf(e) === binding) return 0;
    if (!mayBeAhead || e.type !== 'BinaryExpression' || (e.operator !== '+' && e.operator !== '-')) return undefined;
    const [ahead, by] = [aheadOf(e.left), knownWhole(cx, e.right)];
    return ahead === undefined || by === undefined ? undefined : ahead + (e.operator === '+' ? by : -by);
  };
  const [isLess, inclusive] = [test.operator.startsWith('<'), test.operator.endsWith('=')];
  const [left, right] = [aheadOf(test.left), aheadOf(test.right)];
  if (left !== undefined) return { at: test.right, isAbove: isLess, inclusive, ahead: left };
  return right === undefined ? undefined : { at: test.left, isAbove: !isLess, inclusive, ahead: right };
};

/** The literal that `i++`, `i += c` adds and `i--`, `i -= c` takes away; c is positive. */
const stepOf = (cx: Context, update: AnyNode, binding: Binding): number | undefined => {
  const e = bare(update);
  const isVariable = (node: AnyNode): boolean => cx.unit.text.parsed.scopes.bindingOf(bare(node)) === binding;
  if (e.type === 'UpdateExpression') return isVariable(e.argument) ? (e.operator === '++' ? 1 : -1) : undefined;
  if (e.type !== 'AssignmentExpression' || !['+=', '-='].includes(e.operator) || !isVariable(e.left)) return undefined;
  const by = knownWhole(cx, e.right) ?? 0;
  return by > 0 ? (e.operator === '+=' ? by : -by) : undefined;
};

/** A scalar that is the same whenever it is computed while these instructions run; it is computed here. */
const invariant = (cx: Context, node: AnyNode, iterations: Block): Scalar | undefined => {
  if (!isPlain(cx, node)) return undefined;
  let term: Term | undefined;
  const code = cx.session.record(() => (term = value(cx, node)));
  if (term?.is !== 'literal' && term?.is !== 'temp') return undefined;
  if (code.length > 0 && !rare().isSame(cx, code, iterations)) return undefined;
  cx.session.append(code);
  return term;
};

/** Whether an expression is made of numbers, names, elements, operators and words of the language: elaborated again it is the same. */
const isPlain = (cx: Context, node: AnyNode): boolean => {
  const e = bare(node);
  switch (e.type) {
    case 'Literal':
    case 'Identifier':
      return true;
    case 'MemberExpression':
      return isPlain(cx, e.object) && (!e.computed || isPlain(cx, e.property));
    case 'UnaryExpression':
    case 'BinaryExpression':
      return children(e).every((part) => isPlain(cx, part));
    case 'CallExpression':
      return isWord(cx, e.callee) && e.arguments.every((arg) => isPlain(cx, arg));
    default:
      return false;
  }
};

/** Whether a callee is a word of the language, and no method of what the kernel has. */
const isWord = (cx: Context, callee: AnyNode): boolean => {
  let root = bare(callee);
  while (root.type === 'MemberExpression' && !root.computed) root = bare(root.object);
  return (
    root.type === 'Identifier' &&
    cx.unit.text.parsed.scopes.bindingOf(root) === undefined &&
    cx.elaborator.word(hostFunction(cx, callee)) !== undefined
  );
};

/** The scalar that a simple expression stands for, if nothing needs to be computed for it. */
const quiet = (cx: Context, node: AnyNode): Scalar | undefined => {
  let term: Term | undefined;
  const code = cx.session.record(() => (term = value(cx, node)));
  return code.length === 0 && (term?.is === 'literal' || term?.is === 'temp') ? term : undefined;
};

/** `for (const x of …)`: over a range, over active elements, over an array of known length; `for (const name in o)`: over the names of an object. */
export const forOf = (cx: Context, s: ForOfStatement | ForInStatement, name: string | undefined): void => {
  if (s.type === 'ForOfStatement' && s.await)
    return refuse(cx, s, 'lang/unsupported-syntax', '`for await` cannot be part of a kernel', 'leave `await` out');
  const pattern = s.left.type === 'VariableDeclaration' ? s.left.declarations[0].id : undefined;
  if (!pattern)
    return refuse(cx, s, 'lang/unsupported-syntax', 'a loop needs a variable of its own', 'write for (const i of …)');
  const given = value(cx, s.right);
  if (s.type === 'ForInStatement') {
    const names = itemsOf(cx, s.right, rare().namesOf(cx, s.right, given)).map((item) => ({ item: () => item }));
    return keepingVars(cx, s, () => unroll(cx, s, pattern, names, name));
  }
  const over = visitedBy(cx, s.right, given);
  keepingVars(cx, s, () => visit({ ...cx, visiting: [...cx.visiting, ...keptWhile(given)] }, s, pattern, over, name));
};

const visit = (
  cx: Context,
  s: ForOfStatement,
  pattern: AnyNode,
  over: ReturnType<typeof visitedBy>,
  name: string | undefined,
): void => {
  if (!('space' in over)) return unroll(cx, s, pattern, over, name);
  if (over.space.over === 'range') {
    if (isWrittenOut(cx, s)) return unroll(cx, s, pattern, allIndices(cx, s.right, over.space), name);
    if ((timesOf(over.space) ?? Infinity) <= SHORT) noteCounters(cx, s, pattern);
  }
  const isOutermost = over.order === 'parallel' && !cx.parallel && !cx.looped;
  if (isOutermost && !cx.session.known.inOrder.has(siteOf(cx, s))) return parallelLoop(cx, s, pattern, over, name);
  const ownRandom = over.order === 'parallel' && !cx.parallel && !cx.ownRandom;
  if (over.space.over === 'range') {
    const nest = overRanges(s, pattern, over.space.bounds);
    return sequence(cx, s, pattern, { space: over.space, ownRandom, nest }, name);
  }
  const nest = rare().overActive(cx, s, pattern, over.space.field);
  sequence(cx, s, pattern, { space: over.space, ownRandom, nest }, name);
};

/** What runs one loop within another, or more: `each` is told of every iteration, where the loop of `at` would be written. */
type Nest = (cx: Context, body: Context, each: (body: Context, index: readonly Temp[]) => void) => void;

/** A loop that runs in order, and its iterations, each with the indices that `nest` goes through. */
const sequence = (
  cx: Context,
  s: ForOfStatement,
  pattern: AnyNode,
  { space, ownRandom, nest }: Pick<RunLoop, 'space'> & { readonly ownRandom: boolean; readonly nest: Nest },
  name: string | undefined,
): void => {
  const at = originOf(cx, s);
  const { session } = cx;
  const own = labels(cx, name);
  const draws = ownRandom && cx.random ? rare().iteration(cx, s) : undefined;
  const isShort = (timesOf(space) ?? Infinity) <= SHORT;
  const body = session.record(() =>
    nest(cx, own.body, (around, index) => {
      if (!ownRandom && space.over === 'range') mayBeWrittenOut(cx, s, around, isShort);
      const code = session.record(() => {
        const inner = draws ? draws(around, index) : around;
        bindPattern(inner, pattern, visitedAt(inner, s.right, space, index), 'loop variable');
        session.append(recorded(inner, s.body));
      });
      session.emit(at, { do: 'block', label: own.continue, body: code });
    }),
  );
  session.emit(at, { do: 'block', label: own.break, body });
};

/** Loops over ranges, the last range fastest. */
const overRanges =
  (s: ForOfStatement, pattern: AnyNode, bounds: readonly Bounds[]): Nest =>
  (cx, body, each) => {
    cx.session.emit(originOf(cx, s), {
      do: 'bounds',
      values: bounds.flatMap(({ from, to, step }) => [from, to, step]),
    });
    const nest = (k: number, outer: readonly Temp[]): void =>
      k === bounds.length
        ? each(body, outer)
        : counting(cx, s, variableName(pattern, k), bounds[k], (i) => nest(k + 1, [...outer, i]));
    nest(0, []);
  };

/** An unrolled loop: its iterations one after the other, each with names of its own, which functions made there keep. Items are computed in their iteration. */
const unroll = (
  cx: Context,
  s: ForOfStatement | ForInStatement | ForStatement,
  pattern: AnyNode,
  items: readonly Visited[],
  name: string | undefined,
): void => {
  const at = originOf(cx, s);
  const own = labels(cx, name, false);
  const exits = usesExits(s.body);
  const body = cx.session.record(() => {
    for (const { item, there } of items) {
      const label = { name: 'skipped' };
      const loop = { break: own.break, continue: label };
      const named = name === undefined ? cx.exits.named : new Map([...cx.exits.named, [name, loop] as const]);
      const inner = { ...(exits || there ? apart(cx) : cx), env: new Env(cx.env), exits: { ...cx.exits, loop, named } };
      const code = cx.session.record(() =>
        framed(inner, (own) => {
          bindPattern(own, pattern, item(), 'loop variable');
          cx.session.append(recorded(own, s.body));
        }),
      );
      const visit = (): void => {
        if (exits) cx.session.emit(at, { do: 'block', label, body: code });
        else cx.session.append(code);
      };
      if (there) cx.session.emit(at, { do: 'if', condition: there, then: cx.session.record(visit), otherwise: [] });
      else visit();
    }
  });
  if (exits) cx.session.emit(at, { do: 'block', label: own.break, body });
  else cx.session.append(body);
};

const usesExits = (node: AnyNode): boolean =>
  node.type === 'BreakStatement' || node.type === 'ContinueStatement' || children(node).some(usesExits);
