import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import { children, isFunction, type FunctionNode } from '../../../source/ast.js';
import { originOf, refuse, unsupported, type Context } from '../context/context.js';
import { nothing, type Pending, type Term } from '../context/term.js';
import { released } from '../terms/holds.js';
import { bindPattern } from '../places/pattern.js';
import { declareVars } from '../terms/var-scope.js';
import { value } from '../expressions/evaluate.js';
import { optional } from '../expressions/optional.js';
import { run } from '../context/run.js';
import { assignSlot, hasVariables, pending, readSlot } from '../terms/slots.js';

/** Binds the parameters of a function in the context of its body, runs it, and gives what it returns; `asked` says that this may be nothing. */
export const runBody = (
  cx: Context,
  at: AnyNode,
  node: FunctionNode,
  args: readonly Term[],
  what: 'constant' | 'argument' = 'constant',
  asked = false,
): Term => {
  if (node.async || node.generator)
    return unsupported(cx, node, `${node.async ? 'an async function' : 'a generator'}`, 'make it a plain function');
  node.params.forEach((p, k) => {
    if (p.type === 'RestElement')
      return bindPattern(
        cx,
        p.argument,
        { is: 'list', items: args.slice(k).map((term) => ({ is: 'constant', term, what: 'constant' })) },
        what,
      );
    bindPattern(cx, p, args[k] ?? nothing, what);
  });
  declareVars(cx, node.body);
  if (node.body.type !== 'BlockStatement') return returned({ ...cx, exits: noExits }, node, node.body, asked);

  const { body } = node.body;
  const last = body[body.length - 1];
  if (last?.type === 'ReturnStatement' && returnsIn(node.body).length === 1) {
    const inner = { ...cx, exits: noExits };
    run(inner, body.slice(0, -1), body);
    return last.argument ? returned(inner, node, last.argument, asked) : nothing;
  }
  if (returnsIn(node.body).length === 0) {
    run({ ...cx, exits: noExits }, body, body);
    return nothing;
  }
  return withReturns(cx, at, node, body, asked);
};

/** What a function returns. */
const returned = (cx: Context, of: FunctionNode, node: AnyNode, asked: boolean): Term => {
  const term = released(cx, asked ? optional(cx, node) : value(cx, node));
  return hasVariables(term) ? rare().handedOut(cx, node, of, term) : term;
};

/** A body that returns at several places: what it returns goes through a variable. */
const withReturns = (cx: Context, at: AnyNode, node: FunctionNode, body: readonly AnyNode[], asked: boolean): Term => {
  const block = node.body;
  const label = { name: 'returned' };
  const returnsValue = returnsIn(block).some((r) => r.argument);
  const slot: Pending | undefined = returnsValue ? pending(cx, block, 'result') : undefined;
  const inner: Context = { ...cx, exits: { ...noExits, return: { label, value: slot, of: node, asked, whole: true } } };
  const problems = cx.session.diagnostics.length;
  const code = cx.session.record(() => {
    run(inner, body, body);
    const comesToItsEnd = !cx.session.hasLeft() && cx.session.diagnostics.length === problems;
    if (slot && comesToItsEnd) assignSlot(inner, block, slot, nothing);
  });
  cx.session.emit(originOf(cx, block), { do: 'block', label, body: code });
  return slot && (slot.slot || slot.missing?.local) ? readSlot(cx, at, slot) : nothing;
};

const noExits: Context['exits'] = { loop: undefined, named: new Map(), return: undefined };

type Return = AnyNode & { type: 'ReturnStatement' };

const returns = new WeakMap<AnyNode, readonly Return[]>();

/** The return statements of a body, without those of functions in it. */
const returnsIn = (body: AnyNode): readonly Return[] => {
  const known = returns.get(body);
  if (known) return known;
  const find = (node: AnyNode): readonly Return[] => {
    if (node.type === 'ReturnStatement') return [node];
    return children(node).flatMap((c) => (isFunction(c) ? [] : find(c)));
  };
  const found = find(body);
  returns.set(body, found);
  return found;
};

/** `return value`: the value of the call, and the end of its body. */
export const returnStatement = (cx: Context, s: AnyNode & { type: 'ReturnStatement' }): void => {
  const to = cx.exits.return;
  if (!to) return unsupported(cx, s, '`return` here', 'put it at the end of a function');
  if (!to.whole)
    return refuse(
      cx,
      s,
      'lang/return-in-loop',
      s.argument
        ? 'an iteration of a parallel loop cannot return a value'
        : 'the iterations of a parallel loop run at once: none can end the function for the others',
      s.argument
        ? 'accumulate into a variable around the loop, and return that after it'
        : 'use continue to end an iteration, from loops within by the name of the loop: continue outer',
    );
  if (s.argument) {
    const term = returned(cx, to.of!, s.argument, to.asked);
    if (cx.session.hasLeft()) return;
    assignSlot(cx, s, to.value!, term);
  } else if (to.value) {
    assignSlot(cx, s, to.value, nothing);
  }
  cx.session.emit(originOf(cx, s), { do: 'exit', label: to.label });
};
