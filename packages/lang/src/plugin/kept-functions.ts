import type { AnyNode } from 'acorn';
import { bare, children, isFunction, type FunctionNode } from '../source/ast.js';
import type { Parsed } from '../source/parse.js';
import { functionOf, type Binding } from '../source/scope.js';
import { importedName } from './imported-name.js';

/** A function that kernels are compiled from, and how it is reached once it is made. */
export interface KeptFunction {
  readonly node: FunctionNode;
  /** Names that it uses and does not declare. */
  readonly uses: readonly string[];
  /** Where it has a name: that, and the end of the statement that declares it. Else it is an argument of a call. */
  readonly declared?: { readonly name: string; readonly end: number };
}

/**
 * Finds the functions of a module that kernels are compiled from: those given to `kernel(…)` and `inlined(…)`, and every function
 * of the module that those use.
 */
export const findKept = (parsed: Parsed, modules: RegExp): readonly KeptFunction[] => {
  const { program, scopes } = parsed;
  const ends = statementEnds(program);
  const found = new Map<FunctionNode, KeptFunction>();

  const add = (node: FunctionNode, declared?: KeptFunction['declared']): void => {
    if (found.has(node)) return;
    const outer = outerBindings(parsed, node);
    found.set(node, { node, uses: [...outer.keys()], ...(declared ? { declared } : {}) });
    outer.forEach(addBinding);
  };
  const addBinding = (binding: Binding | undefined): void => {
    const node = functionOf(binding);
    const end = node && ends.get(node);
    if (end !== undefined) add(node!, { name: binding!.name, end });
  };
  const visit = (node: AnyNode): void => {
    if (node.type === 'CallExpression') {
      const callee = importedName(parsed, bare(node.callee), modules);
      const argument =
        callee === 'kernel' ? node.arguments.at(-1) : callee === 'inlined' ? node.arguments[0] : undefined;
      const f = argument && bare(argument);
      if (f && isFunction(f)) add(f);
      else if (f?.type === 'Identifier') addBinding(scopes.bindingOf(f));
    }
    for (const child of children(node)) visit(child);
  };
  visit(program);
  return [...found.values()];
};

/** What a function uses and does not declare. */
const outerBindings = ({ scopes }: Parsed, f: FunctionNode): ReadonlyMap<string, Binding> => {
  const outer = new Map<string, Binding>();
  const visit = (node: AnyNode): void => {
    const binding = node.type === 'Identifier' ? scopes.bindingOf(node) : undefined;
    if (binding && (binding.start < f.start || binding.start >= f.end)) outer.set(binding.name, binding);
    for (const child of children(node)) visit(child);
  };
  visit(f);
  return outer;
};

/** Functions that a statement of a block declares, with the end of that statement. */
const statementEnds = (program: AnyNode): ReadonlyMap<FunctionNode, number> => {
  const ends = new Map<FunctionNode, number>();
  const visit = (node: AnyNode): void => {
    if (node.type === 'Program' || node.type === 'BlockStatement')
      for (const s of node.body) {
        const d = s.type === 'ExportNamedDeclaration' ? s.declaration : s;
        if (d?.type === 'FunctionDeclaration') ends.set(d, d.end);
        if (d?.type === 'VariableDeclaration')
          for (const { init } of d.declarations) {
            const f = init && bare(init);
            if (f && isFunction(f)) ends.set(f, d.end);
          }
      }
    for (const child of children(node)) visit(child);
  };
  visit(program);
  return ends;
};
