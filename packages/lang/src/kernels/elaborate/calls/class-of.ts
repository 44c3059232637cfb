import type { AnyNode, CallExpression, Class, MethodDefinition } from 'acorn';
import { bare } from '../../../source/ast.js';
import { refuse, type Context } from '../context/context.js';
import { Env } from '../context/env.js';
import { hostUnit } from './inline.js';
import { keyName } from '../terms/member-name.js';
import type { ClassOf, Closure, Host, Members, Names } from '../context/term.js';

/** A class that the kernel declares, which stands for itself. */
export class OwnClass implements ClassOf {
  readonly value: OwnClass = this;

  constructor(
    readonly name: string,
    readonly node: Class,
    readonly unit: ClassOf['unit'],
    readonly env: Names,
    readonly parent: ClassOf | undefined,
    readonly native: ClassOf['native'],
    readonly statics: Members,
  ) {}
}

/** Errors that JavaScript has, which classes may extend. */
export const nativeError = (value: unknown): ClassOf['native'] =>
  typeof value === 'function' && (value === Error || value.prototype instanceof Error)
    ? (value as unknown as ClassOf['native'])
    : undefined;

/** The class that a value of the surroundings, or of the kernel, is; nothing if it is none. */
export const classIn = (cx: Context, e: AnyNode, { name, value }: Host): ClassOf | undefined =>
  value instanceof OwnClass ? value : classOf(cx, e, name, value);

export const noClass = (cx: Context, e: AnyNode, name: string): never =>
  refuse(
    cx,
    e,
    'lang/unsupported-call',
    `what \`${name}\` extends is no class of yours`,
    'extend a class that the kernel can read',
  );

/** The methods, getters and setters of a name that a class has itself. */
export const methodsIn = (of: ClassOf, name: string, isStatic: boolean): readonly MethodDefinition[] =>
  of.node.body.body.filter(
    (m): m is MethodDefinition =>
      m.type === 'MethodDefinition' &&
      m.kind !== 'constructor' &&
      m.static === isStatic &&
      !m.computed &&
      keyName(m.key) === name,
  );

/** A class of the surroundings with those that it extends; nothing if this is none. */
const classOf = (cx: Context, e: AnyNode, name: string, value: unknown): ClassOf | undefined => {
  if (typeof value !== 'function' || !/^class\b/.test(Function.prototype.toString.call(value))) return undefined;
  const known = cx.session.classes.get(value);
  if (known) return known;
  const unit = hostUnit(cx, e as CallExpression, name, value as () => unknown);
  const [statement] = unit.text.parsed.program.body;
  const node = statement?.type === 'ExpressionStatement' ? bare(statement.expression) : undefined;
  if (node?.type !== 'ClassExpression') return undefined;
  const extended: unknown = Object.getPrototypeOf(value);
  const parent = node.superClass ? classOf(cx, e, (extended as { name: string }).name, extended) : undefined;
  const native = node.superClass && !parent ? nativeError(extended) : undefined;
  if (node.superClass && !parent && !native) noClass(cx, e, name);
  const of = { name, value, node, unit, parent, native };
  cx.session.classes.set(value, of);
  return of;
};

/** A function of a class. */
export const closureOf = (cx: Context, of: ClassOf, name: string, node: Closure['node']): Closure => {
  cx.session.homes.set(node, of);
  return { is: 'closure', name, node, unit: of.unit, env: of.env ?? new Env() };
};

/** The class in whose text the code stands. */
export const homeOf = (cx: Context, e: AnyNode): ClassOf =>
  cx.calls.map(([f]) => cx.session.homes.get(f as AnyNode)).findLast((of) => of !== undefined) ??
  refuse(cx, e, 'lang/unsupported-syntax', 'what `super` means is not known outside of its class', 'write a function');
