import { rare } from '#rare';
import { questions } from '../expressions/asked-names.js';
import type {
  AnyNode,
  AssignmentExpression,
  Class,
  FunctionDeclaration,
  IfStatement,
  LabeledStatement,
  VariableDeclaration,
} from 'acorn';
import { bare } from '../../../source/ast.js';
import { assignPattern } from '../places/assign.js';
import { apart, originOf, refuse, type Context } from '../context/context.js';
import { destination } from '../places/destination.js';
import { countedFor, doWhile, forOf, whileLoop } from './loop.js';
import { bindPattern } from '../places/pattern.js';
import { Refused } from '../context/session.js';
import { accumulate, accumulated, type Accumulated } from '../places/reduction.js';
import { isSamePlace } from '../places/same-place.js';
import { framed, isOfItems } from '../terms/sharing.js';
import { ownerOf, pending } from '../terms/slots.js';
import { nothing, type Term } from '../context/term.js';
import { isShared } from '../terms/var-scope.js';
import { returnStatement } from '../calls/body.js';
import { condition, value } from '../expressions/evaluate.js';
import { given } from '../places/given-item.js';
import { effect } from '../places/effect.js';
import { recorded, run } from '../context/run.js';

/**
 * Statements in order. One that is refused is skipped, so that problems in the others are found too; code after an
 * unconditional exit never runs and is not looked at. Functions declared in `scope` are known before their declaration.
 */
export const statements = (cx: Context, list: readonly AnyNode[], scope: readonly AnyNode[]): void =>
  framed(cx, (own) => inOrder(own, list, scope));

const inOrder = (cx: Context, list: readonly AnyNode[], scope: readonly AnyNode[]): void => {
  for (const s of scope) if (s.type === 'FunctionDeclaration') declareFunction(cx, s);
  let now = cx;
  let done = 0;
  for (const [k, s] of list.entries()) {
    if (cx.session.hasLeft()) return;
    if (k < done) continue;
    const before = cx.session.emitted();
    try {
      if (exchanges(now, list, k)) done = k + 3;
      else statement(now, s);
    } catch (e) {
      if (!(e instanceof Refused)) throw e;
    }
    if (mayReturn(cx, before)) now = apart(cx);
  }
};

/** Whether two places exchange what they hold here, `const t = a; a = b; b = t;`, which is done then. */
const exchanges = (cx: Context, list: readonly AnyNode[], k: number): boolean => {
  const [s, one, other] = [list[k], assignmentIn(list[k + 1]), assignmentIn(list[k + 2])];
  if (s.type !== 'VariableDeclaration' || !one || other?.right.type !== 'Identifier') return false;
  const { id } = s.declarations[0];
  if (id.type !== 'Identifier' || id.name !== other.right.name || !isOfItems(cx, one.left)) return false;
  return rare().exchangedByThird(cx, list, s, one, other);
};

const assignmentIn = (s: AnyNode | undefined): AssignmentExpression | undefined =>
  s?.type === 'ExpressionStatement' && s.expression.type === 'AssignmentExpression' && s.expression.operator === '='
    ? s.expression
    : undefined;

/** Whether what was emitted since may end the function that is called, so that what comes next in it may not run where what comes next after the call does. */
const mayReturn = (cx: Context, since: number): boolean => {
  const to = cx.exits.return;
  return to !== undefined && to.whole && cx.calls.length > 1 && cx.session.mayLeave(to.label, since);
};

const statement = (cx: Context, s: AnyNode): void => {
  switch (s.type) {
    case 'ExpressionStatement':
      return s.directive === undefined ? effect(cx, s.expression) : undefined;
    case 'VariableDeclaration':
      return declaration(cx, s);
    case 'IfStatement':
      return ifStatement(cx, s);
    case 'BlockStatement':
      return run(cx, s.body);
    case 'ForOfStatement':
    case 'ForInStatement':
      return forOf(cx, s, undefined);
    case 'ForStatement':
      return countedFor(cx, s, undefined);
    case 'WhileStatement':
      return whileLoop(cx, s, undefined);
    case 'DoWhileStatement':
      return doWhile(cx, s, undefined);
    case 'SwitchStatement':
      return rare().switchStatement(cx, s);
    case 'LabeledStatement':
      return labeled(cx, s);
    case 'BreakStatement':
    case 'ContinueStatement':
      return jump(cx, s);
    case 'ReturnStatement':
      return returnStatement(cx, s);
    case 'ClassDeclaration':
      return bindDeclared(cx, s, rare().ownClass(cx, s));
    case 'ThrowStatement':
      return rare().throwStatement(cx, s);
    case 'FunctionDeclaration':
    case 'EmptyStatement':
      return;
    default:
      return rare().refuseStatement(cx, s);
  }
};

/** Whether it is an item at an index that has to be computed. */
const isIndexed = (init: AnyNode): boolean => {
  const e = bare(init);
  return e.type === 'MemberExpression' && e.computed && bare(e.property as AnyNode).type !== 'Literal';
};

const declaration = (cx: Context, s: VariableDeclaration): void => {
  for (const d of s.declarations) {
    if (s.kind === 'var' && isShared(cx, d.id)) {
      if (d.init) assignPattern(cx, d.id, value(cx, d.init));
      continue;
    }
    const part = d.init && isIndexed(d.init) && isOfItems(cx, d.init) ? rare().chosenPart(cx, d) : undefined;
    const named = part && cx.unit.text.parsed.scopes.bindingOf(d.id);
    if (named) {
      cx.env.bind(named, part);
      continue;
    }
    if (d.init) {
      bindPattern(cx, d.id, given(cx, d.id, d.init));
      continue;
    }
    const binding = d.id.type === 'Identifier' ? cx.unit.text.parsed.scopes.bindingOf(d.id) : undefined;
    if (!binding) continue;
    const { asked, compared } = questions(cx);
    if (asked.has(binding)) bindPattern(cx, d.id, nothing);
    else
      cx.env.bind(
        binding,
        compared.has(binding)
          ? rare().compared(cx, d.id, binding)
          : pending(cx, d.id, binding.name, true, ownerOf(cx, binding)),
      );
  }
};

const declareFunction = (cx: Context, node: AnyNode & { type: 'FunctionDeclaration' }): void => {
  if (node.id) bindDeclared(cx, node, { is: 'closure', name: node.id.name, node, unit: cx.unit, env: cx.env });
};

const bindDeclared = (cx: Context, node: AnyNode & (FunctionDeclaration | Class), term: Term): void => {
  if (!node.id) return;
  const binding = cx.unit.text.parsed.scopes.bindingOf(node.id) ?? bindingNamed(cx, node);
  if (binding) cx.env.bind(binding, { is: 'constant', term, what: 'constant' });
};

/* The name in a declaration is not a reference, so only the list of bindings knows it. */
const bindingNamed = (
  cx: Context,
  node: AnyNode,
): ReturnType<Context['unit']['text']['parsed']['scopes']['bindingOf']> =>
  cx.unit.text.parsed.scopes.bindings.find((b) => b.node === node);

const ifStatement = (cx: Context, s: IfStatement): void => {
  if (keepsExtreme(cx, s)) return;
  const test = condition(cx, s.test);
  if (typeof test === 'boolean') {
    const taken = test ? s.consequent : s.alternate;
    if (taken) run(cx, taken.type === 'BlockStatement' ? taken.body : [taken]);
    return;
  }
  const then = recorded(apart(cx), s.consequent);
  const otherwise = s.alternate ? recorded(apart(cx), s.alternate) : [];
  cx.session.emit(originOf(cx, s), { do: 'if', condition: test, then, otherwise });
};

/** `if (x > most) most = x` in a parallel loop, of a variable around it, also behind other conditions, `if (f(x) && x > most)`. */
const keepsExtreme = (cx: Context, s: IfStatement): boolean => {
  if (!cx.parallel || s.alternate) return false;
  const kept = (s.consequent.type === 'BlockStatement' ? s.consequent.body : [s.consequent]).flatMap(assignedIn);
  const tests = conjuncts(s.test);
  for (const one of kept) {
    const test = one && tests.find((t) => isAbout(cx, t, one.left));
    const found = test && rare().extremeOf(cx, one.left, test, one.right);
    const to = found && outerOf(cx, one.left);
    if (!to || !found) continue;
    const other = kept.find((o) => o && o !== one && outerOf(cx, o.left));
    if (other) return rare().keepsPlace(cx, other.node, one.left, other.left);
    if (kept.length > 1 || test !== tests.at(-1)) return false;
    whereHold(cx, s, tests.slice(0, -1), (inner) => void accumulate(inner, one.node, to, one.left, found));
    return true;
  }
  return false;
};

/** The conditions that all must hold, in their order. */
const conjuncts = (test: AnyNode): readonly AnyNode[] => {
  const t = bare(test);
  return t.type === 'LogicalExpression' && t.operator === '&&' ? [t.left, t.right].flatMap(conjuncts) : [t];
};

/** Does something where conditions hold, each asked where those before it do. */
const whereHold = (cx: Context, s: AnyNode, tests: readonly AnyNode[], act: (inner: Context) => void): void => {
  const [first, ...others] = tests;
  const test = first === undefined ? true : condition(cx, first);
  if (test === false) return;
  if (test === true) return first === undefined ? act(cx) : whereHold(cx, s, others, act);
  const then = cx.session.record(() => whereHold(apart(cx), s, others, act));
  cx.session.emit(originOf(cx, s), { do: 'if', condition: test, then, otherwise: [] });
};

/** Whether what is assigned to is compared. */
const isAbout = (cx: Context, test: AnyNode, target: AnyNode): boolean => {
  const t = bare(test);
  return t.type === 'BinaryExpression' && [t.left, t.right].some((side) => isSamePlace(cx, target, side));
};

/** A place and what it is given. */
interface Assigned {
  readonly node: AnyNode;
  readonly left: AnyNode;
  readonly right: AnyNode;
}

/** What a statement assigns, `[a, b] = [x, y]` too; of any other undefined. */
const assignedIn = (s: AnyNode): readonly (Assigned | undefined)[] => {
  const e = s.type === 'ExpressionStatement' ? bare(s.expression) : undefined;
  if (e?.type !== 'AssignmentExpression' || e.operator !== '=') return [undefined];
  const right = bare(e.right);
  if (e.left.type !== 'ArrayPattern' || right.type !== 'ArrayExpression')
    return [{ node: e, left: e.left, right: e.right }];
  return e.left.elements.map((left, k) => {
    const given = right.elements[k];
    return left && given ? { node: e, left, right: given } : undefined;
  });
};

/** What is around the parallel loop of what an assignment changes, if its name is declared so far. */
const outerOf = (cx: Context, target: AnyNode): Accumulated | undefined => {
  let root = bare(target);
  while (root.type === 'MemberExpression') root = bare(root.object);
  const binding = root.type === 'Identifier' ? cx.unit.text.parsed.scopes.bindingOf(root) : undefined;
  const isKnown = binding ? cx.env.lookup(binding) !== undefined : root.type === 'ThisExpression';
  return isKnown ? accumulated(cx, destination(cx, bare(target))) : undefined;
};

const labeled = (cx: Context, s: LabeledStatement): void => {
  const { name } = s.label;
  switch (s.body.type) {
    case 'ForOfStatement':
    case 'ForInStatement':
      return forOf(cx, s.body, name);
    case 'ForStatement':
      return countedFor(cx, s.body, name);
    case 'WhileStatement':
      return whileLoop(cx, s.body, name);
    case 'DoWhileStatement':
      return doWhile(cx, s.body, name);
    default: {
      const label = { name };
      const named = new Map([...cx.exits.named, [name, { break: label, continue: undefined }] as const]);
      const body = recorded(apart({ ...cx, exits: { ...cx.exits, named } }), s.body);
      cx.session.emit(originOf(cx, s), { do: 'block', label, body });
    }
  }
};

const jump = (cx: Context, s: AnyNode & { type: 'BreakStatement' | 'ContinueStatement' }): void => {
  const what = s.type === 'BreakStatement' ? 'break' : 'continue';
  const target = s.label ? cx.exits.named.get(s.label.name) : cx.exits.loop;
  const label = target?.[what];
  if (label) return cx.session.emit(originOf(cx, s), { do: 'exit', label });
  return target
    ? refuse(
        cx,
        s,
        'lang/break-in-parallel',
        'the iterations of a parallel loop run at once: none can end the loop for the others',
        'use continue to end an iteration, or serially(…) around the range',
      )
    : refuse(
        cx,
        s,
        'lang/break-in-parallel',
        `\`${what}\` would leave a parallel loop or a function`,
        'leave one loop after the other',
      );
};
