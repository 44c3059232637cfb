import type { AnyNode } from 'acorn';
import { bare, children, isFunction } from '../../../source/ast.js';
import type { Binding } from '../../../source/scope.js';
import type { Unit } from '../../code/origin.js';
import type { Context } from '../context/context.js';
import { ownerOf, pending } from './slots.js';

/*
 * A name that `var` declares belongs to its function. Most are used only in the block that declares them, and are treated as if
 * they were declared by `let`. The others are declared where their function begins, or the iteration of a parallel loop, since
 * iterations share no variables.
 */

/** Declares the names of a function, or of the body of a parallel loop, that are used outside of the blocks that declare them. */
export const declareVars = (cx: Context, within: AnyNode): void => {
  for (const binding of sharedIn(cx, within))
    cx.env.bind(binding, pending(cx, within, binding.name, true, ownerOf(cx, binding)));
};

/** Runs what binds such names to what only an inner loop knows; afterwards they are what they were. */
export const keepingVars = (cx: Context, within: AnyNode, run: () => void): void => {
  const before = sharedIn(cx, within).map((binding) => [binding, cx.env.lookup(binding)] as const);
  run();
  for (const [binding, slot] of before) if (slot) cx.env.bind(binding, slot);
};

/** Whether a declaration only assigns, as its names are declared already. */
export const isShared = (cx: Context, pattern: AnyNode): boolean => {
  const all = sharedOf(cx.unit);
  return all.size > 0 && names(pattern).some((id) => all.has(cx.unit.text.parsed.scopes.bindingOf(id) as Binding));
};

const sharedIn = (cx: Context, within: AnyNode): readonly Binding[] =>
  [...sharedOf(cx.unit)].flatMap(([binding, places]) =>
    places.some((p) => p.start >= within.start && p.end <= within.end) ? [binding] : [],
  );

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Uses {
  readonly blocks: Range[];
  readonly references: number[];
}

const known = new WeakMap<Unit, ReadonlyMap<Binding, readonly Range[]>>();

/** The names used outside of a block that declares them, with these blocks. */
const sharedOf = (unit: Unit): ReadonlyMap<Binding, readonly Range[]> => {
  const before = known.get(unit);
  if (before) return before;
  const { program, scopes } = unit.text.parsed;
  const uses = new Map<Binding, Uses>();
  const of = (id: AnyNode): Uses | undefined => {
    const binding = scopes.bindingOf(id);
    if (binding?.kind !== 'var') return undefined;
    const found = uses.get(binding) ?? { blocks: [], references: [] };
    uses.set(binding, found);
    return found;
  };
  const visit = (node: AnyNode, block: Range): void => {
    if (node.type === 'Identifier') of(node)?.references.push(node.start);
    if (node.type === 'VariableDeclaration' && node.kind === 'var')
      for (const d of node.declarations) for (const id of names(d.id)) of(id)?.blocks.push(block);
    for (const child of children(node)) visit(child, isBlock(node, child) ? child : block);
  };
  visit(program, program);
  const outside = ({ blocks, references }: Uses): boolean =>
    blocks.some(({ start, end }) => references.some((at) => at < start || at >= end));
  const shared = new Map([...uses].filter(([, u]) => outside(u)).map(([binding, u]) => [binding, u.blocks]));
  known.set(unit, shared);
  return shared;
};

/** Whether a statement runs apart from what is around it: an arm, the body of a loop or function; also a loop with what it visits. */
const isBlock = (parent: AnyNode, child: AnyNode): boolean => {
  if (['ForOfStatement', 'BlockStatement', 'SwitchCase'].includes(child.type) || isFunction(parent)) return true;
  if (parent.type === 'IfStatement') return child !== parent.test;
  return 'body' in parent && parent.body === child && !isFunction(child);
};

/** The names that a pattern declares. */
const names = (pattern: AnyNode): readonly AnyNode[] => {
  const node = bare(pattern);
  if (node.type === 'Identifier') return [node];
  if (node.type === 'AssignmentPattern') return names(node.left);
  if (node.type === 'Property') return names(node.value);
  return node.type === 'ArrayPattern' || node.type === 'ObjectPattern' || node.type === 'RestElement'
    ? children(node).flatMap(names)
    : [];
};
