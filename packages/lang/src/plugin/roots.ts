import type { AnyNode } from 'acorn';
import { bare, children, isFunction } from '../source/ast.js';
import type { Parsed } from '../source/parse.js';
import { functionOf, type Binding } from '../source/scope.js';
import { importedName } from './imported-name.js';
import { namespacesIn } from './namespaces.js';
import { functionsThatStand, type Methods } from './standing.js';

/** Which parts of a module are to be rewritten, and what is to be remembered as rewritten. */
export interface Roots {
  /** Functions and classes, none within another. */
  readonly nodes: readonly AnyNode[];
  /** Expressions that give a function that is rewritten here: arguments of `symbolic`, functions that stand as values. */
  readonly marked: readonly AnyNode[];
  /** Methods that are rewritten here, by the object or class that they stand in. */
  readonly methods: readonly Methods[];
  /** Functions declared within others, or in blocks, that are rewritten here: where that can be remembered, and their names. */
  readonly inner: readonly { readonly at: number; readonly name: string }[];
  /**
   * Names of rewritten functions of the module's top level, and where they are there: behind the statement of a constant, which
   * may be used by the next; undefined for a declaration, which is there from the start.
   */
  readonly names: readonly { readonly name: string; readonly at: number | undefined }[];
}

/**
 * Finds the functions of a module that are to be traced: those given to `symbolic(…)` and in a program to `compile(…)`, those that begin with the directive
 * `'use symbolic'` (or all, where the module begins with it), and every function of the module that those call.
 */
export const findRoots = (parsed: Parsed, modules: RegExp): Roots => {
  const { program, scopes } = parsed;
  const found = new Set<AnyNode>();
  /* Those that have a name, by which others may be given them: they are remembered as well. */
  const named = new Set<AnyNode>();
  const marked: AnyNode[] = [];
  const programs: Methods[] = [];

  const add = (node: AnyNode): void => {
    if (found.has(node)) return;
    found.add(node);
    addUsed(node);
  };
  const constants = new Set<Binding>();
  const namespaces = namespacesIn(parsed);
  const addBinding = (binding: Binding | undefined): boolean => {
    const f = functionOf(binding) ?? classOf(binding);
    if (f) {
      named.add(f);
      add(f);
    } else if (binding && namespaces.has(binding) && !constants.has(binding)) {
      constants.add(binding);
      for (const { value } of namespaces.get(binding)!) addHeld(value);
    } else if (binding?.kind === 'const' && !constants.has(binding)) {
      constants.add(binding);
      for (const value of binding.values) if (typeof value === 'object') addHeld(value);
    }
    return f !== undefined;
  };
  /* What a constant holds: functions, the class of an object, objects and lists of these, `{ dot: (a, b) => …, laws: [linear, new Cubic(3)] }`. */
  const addHeld = (node: AnyNode): void => {
    const value = bare(node);
    if (isFunction(value) || value.type === 'ClassExpression') add(value);
    else if (value.type === 'Identifier') addBinding(scopes.bindingOf(value));
    else if (value.type === 'NewExpression') [value.callee, ...value.arguments].forEach(addHeld);
    else if (value.type === 'Property') addHeld(value.value);
    else if (value.type === 'SpreadElement') addHeld(value.argument);
    else if (value.type === 'ObjectExpression') value.properties.forEach(addHeld);
    else if (value.type === 'ArrayExpression') value.elements.forEach((e) => e && addHeld(e));
  };
  const addUsed = (node: AnyNode): void => {
    if (node.type === 'Identifier') addBinding(scopes.bindingOf(node));
    for (const child of children(node)) addUsed(child);
  };
  /* The function `run` of a program, `compile({ inputs, run })`, in any of the ways in which an object has it. */
  const addProgram = (given: AnyNode): void => {
    const binding = given.type === 'Identifier' ? scopes.bindingOf(given) : undefined;
    const values: readonly unknown[] = binding?.kind === 'const' ? binding.values : [];
    const objects = binding ? values.filter((v): v is AnyNode => typeof v === 'object').map((v) => bare(v)) : [given];
    for (const holder of objects) {
      if (holder.type !== 'ObjectExpression') continue;
      for (const p of holder.properties) {
        if (p.type !== 'Property' || p.computed || p.kind !== 'init' || keyOf(p.key) !== 'run') continue;
        const run = bare(p.value);
        if (isFunction(run)) add(run);
        if (p.method) programs.push({ holder, own: ['run'], ofInstances: [] });
        else if (isFunction(run)) marked.push(p.value);
        /* In `{ run }` the name stands for itself: it is marked where it is declared. */
        else if (run.type === 'Identifier' && addBinding(scopes.bindingOf(run)) && !p.shorthand) marked.push(p.value);
      }
    }
  };
  const all = hasDirective(program.body);
  const visit = (node: AnyNode): void => {
    if (isFunction(node) && (all || (node.body.type === 'BlockStatement' && hasDirective(node.body.body)))) add(node);
    if (all && (node.type === 'ClassDeclaration' || node.type === 'ClassExpression')) add(node);
    if (node.type === 'CallExpression' && node.arguments.length > 0) {
      /* Many things are called so: only what comes from this package itself. */
      if (importedName(parsed, bare(node.callee), modules, false) === 'compile') addProgram(bare(node.arguments[0]));
    }
    if (
      node.type === 'CallExpression' &&
      node.arguments.length > 0 &&
      importedName(parsed, bare(node.callee), modules) === 'symbolic'
    ) {
      const argument = bare(node.arguments[0]);
      if (isFunction(argument)) add(argument);
      if (isFunction(argument) || (argument.type === 'Identifier' && addBinding(scopes.bindingOf(argument))))
        marked.push(node.arguments[0]);
    }
    for (const child of children(node)) visit(child);
  };
  visit(program);
  const nodes = [...found].filter((n) => ![...found].some((o) => o !== n && o.start <= n.start && o.end >= n.end));
  const isRemembered = (node: AnyNode): boolean =>
    isFunction(node) &&
    (all ||
      (named.has(node) && nodes.includes(node)) ||
      (node.body.type === 'BlockStatement' && hasDirective(node.body.body)));
  const standing = functionsThatStand(parsed, isRemembered);

  const names = [...scopes.top.values()].flatMap((b) => {
    const f = functionOf(b);
    if (!f || !found.has(f)) return [];
    const statement = program.body.find((s) => s.start <= f.start && s.end >= f.end);
    return [{ name: b.name, at: f.type === 'FunctionDeclaration' ? undefined : statement?.end }];
  });
  const alone = standing.values.filter((v) => !marked.some((m) => bare(m) === v));
  return {
    nodes: nodes.sort((a, b) => a.start - b.start),
    marked: [...marked, ...alone],
    methods: [...standing.methods, ...programs.filter((p) => !standing.methods.some((m) => m.holder === p.holder))],
    inner: standing.inner,
    names,
  };
};

const hasDirective = (body: readonly AnyNode[]): boolean => {
  for (const s of body) {
    if (s.type !== 'ExpressionStatement' || !s.directive) return false;
    if (s.directive === 'use symbolic') return true;
  }
  return false;
};

const keyOf = (key: AnyNode): string =>
  key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '';

const classOf = (binding: Binding | undefined): AnyNode | undefined =>
  binding?.kind === 'class' ? binding.node : undefined;
