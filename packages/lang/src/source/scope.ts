import type { AnyNode, Expression, Identifier, Program } from 'acorn';
import { bare, children, isFunction, type FunctionNode } from './ast.js';

/** A declared name. */
export interface Binding {
  readonly name: string;
  readonly kind: 'var' | 'let' | 'const' | 'param' | 'function' | 'class' | 'import' | 'other';
  /** Where it is declared. */
  readonly start: number;
  /** The function, class or import specifier of this name. */
  readonly node?: AnyNode;
  /**
   * Every value it is ever given: an expression, `step` for ++ and --, or `unknown` (parameters, destructuring, loops).
   * A compound assignment gives its whole assignment expression.
   */
  readonly values: (AnyNode | 'step' | 'unknown')[];
}

/** What each name of a text means. */
export interface Scopes {
  /** The binding of a reference; undefined for names declared nowhere in the text. */
  readonly bindingOf: (id: AnyNode) => Binding | undefined;
  /** Names declared nowhere in the text, with their references. */
  readonly free: ReadonlyMap<string, readonly FreeReference[]>;
  /** Bindings of the outermost scope. */
  readonly top: ReadonlyMap<string, Binding>;
  readonly bindings: readonly Binding[];
  /** Whether an identifier means the global of this name. */
  readonly isGlobal: (id: AnyNode, name: string) => boolean;
}

export interface FreeReference {
  readonly id: Identifier;
  readonly written: boolean;
}

/** Resolves every name of a program. */
export const analyseScopes = (program: Program): Scopes => {
  const resolved = new Map<AnyNode, Binding>();
  const free = new Map<string, FreeReference[]>();
  const bindings: Binding[] = [];
  const top: Scope = { names: new Map(), parent: undefined };

  const declare = (scope: Scope, name: string, kind: Binding['kind'], start: number, node?: AnyNode): Binding => {
    const known = scope.names.get(name);
    if (known) {
      if (kind !== 'var' || known.kind === 'param') known.values.push('unknown');
      return known;
    }
    const binding: Binding = { name, kind, start, ...(node ? { node } : {}), values: [] };
    scope.names.set(name, binding);
    bindings.push(binding);
    return binding;
  };

  const declarePattern = (scope: Scope, pattern: AnyNode, kind: Binding['kind']): void => {
    for (const id of patternNames(pattern)) declare(scope, id.name, kind, id.start);
  };

  /** Declarations of a block: let, const, class, function. */
  const declareLexical = (scope: Scope, statements: readonly AnyNode[]): void => {
    for (const wrapped of statements) {
      const s = exported(wrapped);
      if (s.type === 'VariableDeclaration' && s.kind !== 'var') {
        for (const d of s.declarations) declarePattern(scope, d.id, s.kind === 'let' ? 'let' : 'const');
      } else if ((s.type === 'FunctionDeclaration' || s.type === 'ClassDeclaration') && s.id) {
        declare(scope, s.id.name, s.type === 'ClassDeclaration' ? 'class' : 'function', s.id.start, s);
      } else if (s.type === 'ImportDeclaration') {
        for (const i of s.specifiers) declare(scope, i.local.name, 'import', i.local.start, i).values.push('unknown');
      }
    }
  };

  /** `var` belongs to the function, however deep it stands. */
  const declareVars = (scope: Scope, node: AnyNode): void => {
    if (node.type === 'VariableDeclaration' && node.kind === 'var')
      for (const d of node.declarations) declarePattern(scope, d.id, 'var');
    if (!isFunction(node)) for (const child of children(node)) declareVars(scope, child);
  };

  const lookup = (scope: Scope | undefined, name: string): Binding | undefined => {
    for (let s = scope; s; s = s.parent) {
      const found = s.names.get(name);
      if (found) return found;
    }
    return undefined;
  };

  const refer = (scope: Scope, id: Identifier, value?: AnyNode | 'step' | 'unknown'): void => {
    const binding = lookup(scope, id.name);
    if (!binding) {
      const references = free.get(id.name);
      const reference = { id, written: value !== undefined };
      if (references) references.push(reference);
      else free.set(id.name, [reference]);
      return;
    }
    resolved.set(id, binding);
    if (value !== undefined) binding.values.push(value);
  };

  /** The targets of an assignment or declaration; expressions inside are visited as usual. */
  const target = (node: AnyNode, scope: Scope, value: AnyNode | 'step' | 'unknown'): void => {
    switch (node.type) {
      case 'Identifier':
        return refer(scope, node, value);
      case 'ParenthesizedExpression':
        return target(node.expression, scope, value);
      case 'AssignmentPattern':
        target(node.left, scope, 'unknown');
        return visit(node.right, scope);
      case 'RestElement':
        return target(node.argument, scope, 'unknown');
      case 'ArrayPattern':
        return node.elements.forEach((e) => e && target(e, scope, 'unknown'));
      case 'ObjectPattern':
        return node.properties.forEach((p) => {
          if (p.type === 'RestElement') return target(p.argument, scope, 'unknown');
          if (p.computed) visit(p.key, scope);
          return target(p.value, scope, 'unknown');
        });
      default:
        return visit(node, scope);
    }
  };

  const block = (statements: readonly AnyNode[], parent: Scope): void => {
    const scope: Scope = { names: new Map(), parent };
    declareLexical(scope, statements);
    for (const s of statements) visit(s, scope);
  };

  const functionScope = (node: FunctionNode, parent: Scope): void => {
    const scope: Scope = { names: new Map(), parent };
    if (node.type === 'FunctionExpression' && node.id) declare(scope, node.id.name, 'function', node.id.start, node);
    if (node.type !== 'ArrowFunctionExpression')
      declare(scope, 'arguments', 'other', node.start).values.push('unknown');
    for (const p of node.params) declarePattern(scope, p, 'param');
    declareVars(scope, node.body);
    if (node.body.type === 'BlockStatement') declareLexical(scope, node.body.body);
    for (const p of node.params) target(p, scope, 'unknown');
    if (node.body.type === 'BlockStatement') for (const s of node.body.body) visit(s, scope);
    else visit(node.body, scope);
  };

  const visit = (node: AnyNode, scope: Scope): void => {
    if (isFunction(node)) return functionScope(node, scope);
    switch (node.type) {
      case 'Identifier':
        return refer(scope, node);
      case 'ClassDeclaration':
      case 'ClassExpression': {
        const inner: Scope = { names: new Map(), parent: scope };
        if (node.type === 'ClassExpression' && node.id) declare(inner, node.id.name, 'class', node.id.start, node);
        if (node.superClass) visit(node.superClass, inner);
        return node.body.body.forEach((m) => visit(m, inner));
      }
      case 'MethodDefinition':
      case 'PropertyDefinition':
      case 'Property':
        if (node.computed) visit(node.key, scope);
        if (node.value) visit(node.value, scope);
        return;
      case 'StaticBlock': {
        const inner: Scope = { names: new Map(), parent: scope };
        for (const s of node.body) declareVars(inner, s);
        return block(node.body, inner);
      }
      case 'MemberExpression':
        visit(node.object, scope);
        if (node.computed) visit(node.property, scope);
        return;
      case 'BlockStatement':
        return block(node.body, scope);
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement': {
        const inner: Scope = { names: new Map(), parent: scope };
        const head = node.type === 'ForStatement' ? node.init : node.left;
        if (head?.type === 'VariableDeclaration') declareLexical(inner, [head]);
        if (node.type !== 'ForStatement') {
          if (node.left.type === 'VariableDeclaration') target(node.left.declarations[0].id, inner, 'unknown');
          else target(node.left, inner, 'unknown');
          visit(node.right, inner);
          return visit(node.body, inner);
        }
        return children(node).forEach((c) => visit(c, inner));
      }
      case 'SwitchStatement': {
        visit(node.discriminant, scope);
        const inner: Scope = { names: new Map(), parent: scope };
        declareLexical(
          inner,
          node.cases.flatMap((c) => c.consequent),
        );
        return node.cases.forEach((c) => children(c).forEach((s) => visit(s, inner)));
      }
      case 'CatchClause': {
        const inner: Scope = { names: new Map(), parent: scope };
        if (node.param) {
          declarePattern(inner, node.param, 'other');
          target(node.param, inner, 'unknown');
        }
        return visit(node.body, inner);
      }
      case 'VariableDeclaration':
        return node.declarations.forEach((d) => {
          if (d.init) {
            target(d.id, scope, d.id.type === 'Identifier' ? d.init : 'unknown');
            visit(d.init, scope);
          } else target(d.id, scope, 'unknown');
        });
      case 'AssignmentExpression':
        target(
          node.left,
          scope,
          bare(node.left).type === 'Identifier' ? (node.operator === '=' ? node.right : node) : 'unknown',
        );
        return visit(node.right, scope);
      case 'UpdateExpression':
        return target(node.argument, scope, 'step');
      case 'LabeledStatement':
        return visit(node.body, scope);
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'MetaProperty':
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
        return;
      case 'ExportNamedDeclaration':
        if (node.declaration) visit(node.declaration, scope);
        else if (!node.source) for (const s of node.specifiers) visit(s.local, scope);
        return;
      default:
        return children(node).forEach((c) => visit(c, scope));
    }
  };

  declareVars(top, program);
  declareLexical(top, program.body);
  for (const s of program.body) visit(s, top);

  return {
    bindingOf: (id) => resolved.get(id),
    free,
    top: top.names,
    bindings,
    isGlobal: (id, name) => id.type === 'Identifier' && id.name === name && !resolved.has(id),
  };
};

interface Scope {
  readonly names: Map<string, Binding>;
  readonly parent: Scope | undefined;
}

/** The identifiers that a pattern binds. */
export const patternNames = (pattern: AnyNode): Identifier[] => {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'AssignmentPattern':
      return patternNames(pattern.left);
    case 'RestElement':
      return patternNames(pattern.argument);
    case 'ArrayPattern':
      return pattern.elements.flatMap((e) => (e ? patternNames(e) : []));
    case 'ObjectPattern':
      return pattern.properties.flatMap((p) => patternNames(p.type === 'RestElement' ? p.argument : p.value));
    default:
      return [];
  }
};

const exported = (s: AnyNode): AnyNode =>
  (s.type === 'ExportNamedDeclaration' || s.type === 'ExportDefaultDeclaration') && s.declaration ? s.declaration : s;

/** The function that a name stands for: declared, or a constant that was given a function. */
export const functionOf = (binding: Binding | undefined): FunctionNode | undefined => {
  if (!binding || binding.values.length !== (binding.node ? 0 : 1)) return undefined;
  const value = binding.node ?? (binding.values[0] as Expression | undefined);
  if (typeof value !== 'object') return undefined;
  const f = named(bare(value));
  return isFunction(f) ? f : undefined;
};

/** What a bundler gives the name that its author wrote: `__name(f, 'f')` is f. */
export const named = (e: AnyNode): AnyNode =>
  e.type === 'CallExpression' && e.callee.type === 'Identifier' && e.callee.name === '__name' && e.arguments.length > 0
    ? bare(e.arguments[0])
    : e;
