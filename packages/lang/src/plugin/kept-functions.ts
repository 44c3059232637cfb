import type { AnyNode, CallExpression, ClassDeclaration, ClassExpression, NewExpression } from 'acorn';
import { bare, children, isFunction, type FunctionNode } from '../source/ast.js';
import type { Parsed } from '../source/parse.js';
import { functionOf, named, patternNames, type Binding } from '../source/scope.js';
import { importedName } from './imported-name.js';
import { namespacesIn } from './namespaces.js';

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
 * of the module that those use, also by constants that hold them or objects of them, or what functions of the module make of such: `const law = power(3)`.
 */
export const findKept = (parsed: Parsed, modules: RegExp): readonly KeptFunction[] => {
  const { program, scopes } = parsed;
  const ends = statementEnds(program);
  const unpacked = unpackedIn(program);
  const namespaces = namespacesIn(parsed);
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
    const parts = namespaces.get(binding);
    if (parts) return parts.forEach(({ name, value, end }) => addHeld(value, name, end));
    const [node, ...more] = binding.node ? [binding.node, ...binding.values] : binding.values;
    const whole = unpacked.get(binding.start);
    if (whole) return addMade(whole);
    if (typeof node !== 'object' || more.length > 0) return;
    const end = ends.get(bare(node));
    if (end !== undefined) addHeld(node, binding.name, end);
  };
  /* What a call makes: of a function of the module what that returns, which may use the functions that it is given; of any other, as `map` of an array, what those return. */
  const addCalled = ({ callee, arguments: given }: CallExpression): void => {
    const own = functionOf(scopes.bindingOf(bare(callee)));
    if (own) addReturned(own);
    for (const argument of given) {
      const value = bare(argument);
      const binding = value.type === 'Identifier' ? scopes.bindingOf(value) : undefined;
      const f = isFunction(value) ? value : functionOf(binding);
      if (f && !own) addReturned(f);
      else if (binding) addBinding(binding);
      else if (f) add(f);
      else addMade(value);
    }
  };
  const returned = new Set<AnyNode>();
  const addReturned = (f: FunctionNode): void => {
    if (returned.has(f)) return;
    returned.add(f);
    for (const value of returnedBy(f)) addMade(value);
  };
  /* A value where it is made, which has no name: functions in it are kept there. */
  const addMade = (node: AnyNode): void => {
    const value = bare(node);
    if (isFunction(value) || isClass(value)) add(value);
    else if (value.type === 'Identifier') addBinding(scopes.bindingOf(value));
    else if (value.type === 'CallExpression') addCalled(value);
    else if (value.type === 'NewExpression') addMadeOf(value);
    else if (value.type === 'ConditionalExpression') [value.consequent, value.alternate].forEach(addMade);
    else if (value.type === 'ArrayExpression')
      value.elements.forEach((item) => item && item.type !== 'SpreadElement' && addMade(item));
    else if (value.type === 'ObjectExpression')
      for (const p of value.properties) if (p.type === 'Property' && p.kind === 'init' && !p.method) addMade(p.value);
  };
  /* What an object is made of, `new Map([['linear', (x) => x]])`. */
  const addMadeOf = (made: NewExpression): void =>
    made.arguments.forEach((given) => given.type !== 'SpreadElement' && addMade(given));
  /* What a name stands for, or what that holds: `{ dot: (a, b) => …, laws: [linear, new Cubic(3)] }`. */
  const addHeld = (node: AnyNode, name: string, end: number): void => {
    const value = named(bare(node));
    if (isFunction(value) || isClass(value)) add(value, { name, end });
    else if (value.type === 'Identifier') addBinding(scopes.bindingOf(value));
    else if (value.type === 'NewExpression') {
      addHeld(value.callee, name, end);
      addMadeOf(value);
    } else if (value.type === 'CallExpression') addCalled(value);
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

/** What a function returns, on each way. */
const returnedBy = (f: FunctionNode): readonly AnyNode[] => {
  if (f.body.type !== 'BlockStatement') return [f.body];
  const found: AnyNode[] = [];
  const visit = (node: AnyNode): void => {
    if (isFunction(node)) return;
    if (node.type === 'ReturnStatement' && node.argument) found.push(node.argument);
    for (const child of children(node)) visit(child);
  };
  visit(f.body);
  return found;
};

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

/** What names are taken out of where they are declared, `const { step, energy } = integrator(0.1)`, by where they stand. */
const unpackedIn = (program: AnyNode): ReadonlyMap<number, AnyNode> => {
  const found = new Map<number, AnyNode>();
  const visit = (node: AnyNode): void => {
    if (node.type === 'VariableDeclarator' && node.init && node.id.type !== 'Identifier')
      for (const { start } of patternNames(node.id)) found.set(start, node.init);
    for (const child of children(node)) visit(child);
  };
  visit(program);
  return found;
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
