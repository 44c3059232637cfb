import type { AnyNode, AssignmentExpression, CallExpression, Identifier } from 'acorn';
import { bare, children, isFunction } from '../source/ast.js';
import type { Parsed } from '../source/parse.js';
import type { Binding } from '../source/scope.js';

/** A part of a namespace of TypeScript: what is assigned to its name, and the end of that statement. */
export interface PartOfNamespace {
  readonly name: string;
  readonly value: AnyNode;
  readonly end: number;
}

/**
 * The parts of namespaces of TypeScript, which compilers make functions that are called where they stand, `((N) => { N.f = …; })(N || (N = {}))`: by what they are called around
 * and within.
 */
export const namespacesIn = ({ program, scopes }: Parsed): ReadonlyMap<Binding, readonly PartOfNamespace[]> => {
  const found = new Map<Binding, readonly PartOfNamespace[]>();
  const visit = (node: AnyNode): void => {
    const inner = node.type === 'CallExpression' ? namespaceOf(node) : undefined;
    if (inner) {
      const [around, within] = [inner.around, inner.within].map((id) => scopes.bindingOf(id) ?? bindingAt(scopes, id));
      const parts = inner.body.flatMap((s) =>
        assignedIn(s).flatMap(({ left, right }): readonly PartOfNamespace[] => {
          const isPart = left.type === 'MemberExpression' && !left.computed && scopes.bindingOf(left.object) === within;
          return isPart && left.property.type === 'Identifier'
            ? [{ name: `${inner.within.name}.${left.property.name}`, value: right, end: s.end }]
            : [];
        }),
      );
      for (const binding of [around, within])
        if (binding) found.set(binding, [...(found.get(binding) ?? []), ...parts]);
    }
    for (const child of children(node)) visit(child);
  };
  visit(program);
  return found;
};

/** What a statement assigns: `N.f = …`, and of some compilers `const f = N.f = …`. */
const assignedIn = (s: AnyNode): readonly AssignmentExpression[] => {
  const values: readonly (AnyNode | null | undefined)[] =
    s.type === 'ExpressionStatement'
      ? [s.expression]
      : s.type === 'VariableDeclaration'
        ? s.declarations.map(({ init }) => init)
        : [];
  return values.flatMap((value) => (value?.type === 'AssignmentExpression' ? [value] : []));
};

const bindingAt = ({ bindings }: Parsed['scopes'], { start }: AnyNode): Binding | undefined =>
  bindings.find((b) => b.start === start);

/** `((N2) => { … })(N || (N = {}))`: what it is called around and within, and the statements of its body. */
const namespaceOf = (
  call: CallExpression,
): { readonly around: Identifier; readonly within: Identifier; readonly body: readonly AnyNode[] } | undefined => {
  const f = bare(call.callee);
  const [given] = call.arguments;
  if (!isFunction(f) || f.params.length !== 1 || f.body.type !== 'BlockStatement' || call.arguments.length !== 1)
    return undefined;
  const [within] = f.params;
  const made = bare(given);
  const around = made.type === 'LogicalExpression' && made.operator === '||' ? bare(made.left) : undefined;
  const set = made.type === 'LogicalExpression' ? bare(made.right) : undefined;
  return within.type === 'Identifier' && around?.type === 'Identifier' && set?.type === 'AssignmentExpression'
    ? { around, within, body: f.body.body }
    : undefined;
};
