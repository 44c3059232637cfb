import type { AnyNode } from 'acorn';
import { bare, children } from '../../../source/ast.js';
import type { Binding } from '../../../source/scope.js';
import type { Context } from '../context/context.js';
import { isComparison } from './binary-operation.js';
import { isNothing } from './optional.js';

/** What a function asks of its names. */
interface Questions {
  /** Whether they have a value: `a ?? b`, `a ??= b`, `a ||= b`, `a?.b`, `a === undefined`, `case undefined:`, `!a`, `if (a)`. */
  readonly asked: ReadonlySet<Binding>;
  /** Of these, whether they have a value in so many words: not by `!a` and `if (a)`, which ask the same of a number. */
  readonly wanted: ReadonlySet<Binding>;
  /** Whether they are equal to something, less or more, which undefined is not: `a === b`, `a < b`, `switch (a)`. */
  readonly compared: ReadonlySet<Binding>;
}

export const questions = (cx: Context): Questions => {
  const { parsed } = cx.unit.text;
  const before = known.get(parsed);
  if (before) return before;
  const [asked, wanted, compared] = [new Set<Binding>(), new Set<Binding>(), new Set<Binding>()];
  const add = (node: AnyNode, ...to: readonly Set<Binding>[]): void => {
    const binding = parsed.scopes.bindingOf(bare(node));
    if (binding) for (const set of to) set.add(binding);
  };
  const visit = (node: AnyNode): void => {
    if (node.type === 'LogicalExpression') add(node.left, asked, ...(node.operator === '??' ? [wanted] : []));
    if (node.type === 'UnaryExpression' && node.operator === '!') add(node.argument, asked);
    if ('test' in node && node.test && node.type !== 'SwitchCase') add(node.test, asked);
    if (node.type === 'AssignmentExpression' && node.operator === '??=') add(node.left, asked, wanted);
    if (node.type === 'AssignmentExpression' && ['||=', '&&='].includes(node.operator)) add(node.left, asked);
    if (node.type === 'MemberExpression' && node.optional) add(node.object, asked, wanted);
    if (node.type === 'BinaryExpression' && isComparison(node.operator)) {
      const [left, right] = [bare(node.left as AnyNode), bare(node.right)];
      if (isNothing(cx, right)) add(left, asked, wanted);
      if (isNothing(cx, left)) add(right, asked, wanted);
      for (const side of [left, right]) add(side, compared);
    }
    if (node.type === 'SwitchStatement') {
      const isAsked = node.cases.some(({ test }) => test && isNothing(cx, bare(test)));
      add(node.discriminant, compared, ...(isAsked ? [asked, wanted] : []));
    }
    for (const child of children(node)) visit(child);
  };
  visit(parsed.program);
  const found = { asked, wanted, compared };
  known.set(parsed, found);
  return found;
};

const known = new WeakMap<object, Questions>();
