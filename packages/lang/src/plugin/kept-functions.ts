import type { AnyNode, ClassDeclaration, ClassExpression } from 'acorn';
import { bare, children, isFunction, type FunctionNode } from '../source/ast.js';
import type { Parsed } from '../source/parse.js';
import { named, type Binding } from '../source/scope.js';
import { importedName } from './imported-name.js';

type ClassNode = ClassDeclaration | ClassExpression;

/** A function or class that kernels are compiled from, and how it is reached once it is made. */
export interface KeptFunction {
  readonly node: FunctionNode | ClassNode;
  /** Where its text begins: that of a method with its name, as engines give it. */
  readonly start: number;
  /** Names that it uses and does not declare. */
  readonly uses: readonly string[];
  /** Where it has a name, or is part of what has one: what gives it, and the end of the statement that declares it. Else it is an argument of a call. */
  readonly declared?: { readonly name: string; readonly end: number };
}

/**
 * Finds the functions of a module that kernels are compiled from: those given to `kernel(…)` and `inlined(…)`, and every function and class
 * of the module that those use, also by constants that hold them or objects of them.
 */
export const findKept = (parsed: Parsed, modules: RegExp): readonly KeptFunction[] => {
  const { program, scopes } = parsed;
  const ends = statementEnds(program);
  const found = new Map<AnyNode, KeptFunction>();
  const constants = new Set<Binding>();

  const add = (node: FunctionNode | ClassNode, declared?: KeptFunction['declared'], start = node.start): void => {
    if (found.has(node)) return;
    const outer = outerBindings(parsed, node);
    found.set(node, { node, start, uses: [...outer.keys()], ...(declared ? { declared } : {}) });
    outer.forEach(addBinding);
    if (declared && isClass(node)) addMethods(node, declared);
  };
  /* Objects of a class that stand around a kernel have its methods one by one. */
  const addMethods = (node: ClassNode, { name, end }: NonNullable<KeptFunction['declared']>): void => {
    for (const m of node.body.body)
      if (m.type === 'MethodDefinition' && m.kind === 'method' && !m.computed && m.key.type === 'Identifier')
        add(m.value, { name: `${name}.${m.static ? '' : 'prototype.'}${m.key.name}`, end }, m.key.start);
  };
  const addBinding = (binding: Binding | undefined): void => {
    if (!binding || constants.has(binding)) return;
    constants.add(binding);
    const [node, ...more] = binding.node ? [binding.node, ...binding.values] : binding.values;
    const end = typeof node === 'object' ? ends.get(bare(node)) : undefined;
    if (typeof node === 'object' && more.length === 0 && end !== undefined) addHeld(node, binding.name, end);
  };
  /* What a name stands for, or what that holds: `{ dot: (a, b) => …, laws: [linear, new Cubic(3)] }`. */
  const addHeld = (node: AnyNode, name: string, end: number): void => {
    const value = named(bare(node));
    if (isFunction(value) || isClass(value)) add(value, { name, end });
    else if (value.type === 'Identifier') addBinding(scopes.bindingOf(value));
    else if (value.type === 'NewExpression') addHeld(value.callee, name, end);
    else if (value.type === 'ArrayExpression')
      value.elements.forEach((item, k) => item && item.type !== 'SpreadElement' && addHeld(item, `${name}[${k}]`, end));
    else if (value.type === 'ObjectExpression')
      for (const p of value.properties) {
        if (p.type !== 'Property' || p.computed || p.kind !== 'init' || p.key.type !== 'Identifier') continue;
        const part = `${name}.${p.key.name}`;
        if (p.method && isFunction(p.value)) add(p.value, { name: part, end }, p.key.start);
        else addHeld(p.value, part, end);
      }
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

const isClass = (node: AnyNode): node is ClassNode =>
  node.type === 'ClassDeclaration' || node.type === 'ClassExpression';

/** What a function uses and does not declare. */
const outerBindings = ({ scopes }: Parsed, f: AnyNode): ReadonlyMap<string, Binding> => {
  const outer = new Map<string, Binding>();
  const visit = (node: AnyNode): void => {
    const binding = node.type === 'Identifier' ? scopes.bindingOf(node) : undefined;
    if (binding && (binding.start < f.start || binding.start >= f.end)) outer.set(binding.name, binding);
    for (const child of children(node)) visit(child);
  };
  visit(f);
  return outer;
};

/** What a statement of a block declares, or gives a name, with the end of that statement. */
const statementEnds = (program: AnyNode): ReadonlyMap<AnyNode, number> => {
  const ends = new Map<AnyNode, number>();
  const visit = (node: AnyNode): void => {
    if (node.type === 'Program' || node.type === 'BlockStatement')
      for (const s of node.body) {
        const d = s.type === 'ExportNamedDeclaration' ? s.declaration : s;
        if (d?.type === 'FunctionDeclaration' || d?.type === 'ClassDeclaration') ends.set(d, d.end);
        if (d?.type === 'VariableDeclaration')
          for (const { init } of d.declarations) if (init) ends.set(bare(init), d.end);
      }
    for (const child of children(node)) visit(child);
  };
  visit(program);
  return ends;
};
