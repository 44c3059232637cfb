import type {
  AnyNode,
  AssignmentExpression,
  BinaryExpression,
  CallExpression,
  Class,
  MethodDefinition,
  NewExpression,
  ObjectExpression,
  Property,
  StaticBlock,
} from 'acorn';
import { bare, children } from '../../source/ast.js';
import { literal } from '../code/scalar.js';
import { refuse, unsupported, type Context } from './context.js';
import type { Destination } from './destination.js';
import { Env } from './env.js';
import { argumentsOf, reference, value } from './evaluate.js';
import { callFunction, hostUnit } from './inline.js';
import { made } from './made.js';
import { keyName, memberName } from './member-name.js';
import { keepName } from './names.js';
import { holdItems } from './sharing.js';
import { assignSlot, pending } from './slots.js';
import {
  nothing,
  type ClassOf,
  type Closure,
  type Host,
  type Members,
  type Names,
  type Slot,
  type Term,
} from './term.js';

/**
 * `new C(…)` of a class of the surroundings: an object whose members its constructor assigns, and whose methods are those of the class.
 * Nothing if this is no class.
 */
export const instance = (cx: Context, e: NewExpression): Term | undefined => {
  const callee = reference(cx, e.callee);
  const of = callee.is === 'host' ? classIn(cx, e, callee) : undefined;
  if (!of) return undefined;
  const self = made(cx, e, { is: 'members', members: new Map(), of });
  for (const name of changing(of, cx.session.made.get(self)!.written))
    (self.members as Map<string, Slot>).set(name, pending(cx, e, name, false, { since: cx.session.age(), writes: 0 }));
  construct(cx, e, of, self, argumentsOf(cx, e));
  return self;
};

/** A class that the kernel declares; it stands for itself, as one of the surroundings does. */
export const ownClass = (cx: Context, node: AnyNode & Class): Term => {
  const name = node.id?.name ?? 'class';
  const odd = node.body.body.find((m) => (m.type === 'StaticBlock' ? !keepsName(cx, m) : m.static || m.computed));
  if (odd)
    return unsupported(
      cx,
      odd,
      'a static or computed member of a class that stands in the kernel',
      'declare the class outside of it',
    );
  const extended = node.superClass ? reference(cx, node.superClass) : undefined;
  const parent = extended?.is === 'host' ? classIn(cx, node, extended) : undefined;
  const native = extended?.is === 'host' && !parent ? nativeError(extended.value) : undefined;
  if (extended && !parent && !native) return noClass(cx, node, name);
  return { is: 'host', name, value: new OwnClass(name, node, cx.unit, cx.env, parent, native) };
};

/** Whether this is what bundlers add to keep the name of a class. */
const keepsName = (cx: Context, { body: [first, ...more] }: StaticBlock): boolean => {
  const e = first?.type === 'ExpressionStatement' ? first.expression : undefined;
  if (e?.type !== 'CallExpression' || more.length > 0) return false;
  const callee = reference(cx, e.callee);
  return callee.is === 'host' && callee.value === keepName;
};

class OwnClass implements ClassOf {
  readonly value: OwnClass = this;

  constructor(
    readonly name: string,
    readonly node: Class,
    readonly unit: ClassOf['unit'],
    readonly env: Names,
    readonly parent: ClassOf | undefined,
    readonly native: ClassOf['native'],
  ) {}
}

/** Errors that JavaScript has, which classes may extend. */
const nativeError = (value: unknown): ClassOf['native'] =>
  typeof value === 'function' && (value === Error || value.prototype instanceof Error)
    ? (value as unknown as ClassOf['native'])
    : undefined;

const classIn = (cx: Context, e: AnyNode, { name, value }: Host): ClassOf | undefined =>
  value instanceof OwnClass ? value : classOf(cx, e, name, value);

const noClass = (cx: Context, e: AnyNode, name: string): never =>
  refuse(
    cx,
    e,
    'lang/unsupported-call',
    `what \`${name}\` extends is no class of yours`,
    'extend a class that the kernel can read',
  );

/** `super(…)`: what the class that is extended makes of the object, and then what the members of this one begin with. */
export const superCall = (cx: Context, e: CallExpression): Term => {
  const of = homeOf(cx, e);
  above(cx, e, of, cx.self as Members, argumentsOf(cx, e));
  begin(cx, of, cx.self as Members);
  return nothing;
};

/** `super.name`: what the class that is extended has by that name. */
export const superMember = (cx: Context, e: AnyNode, name: string): Term =>
  ofClass(cx, e, homeOf(cx, e).parent, cx.self as Members, name) ??
  refuse(cx, e, 'lang/unknown-member', `the class that is extended has no \`${name}\``, 'call what it has');

/** `this.name = …` where the object is made, of a member that nothing else assigns to: it is what it is given. */
export const initial = (cx: Context, e: AssignmentExpression): Term | undefined => {
  const target = bare(e.left);
  if (target.type !== 'MemberExpression' || bare(target.object).type !== 'ThisExpression') return undefined;
  const name = memberName(target);
  const { self } = cx;
  if (name === undefined || self?.is !== 'members' || self.members.has(name) || !cx.session.making.has(self))
    return undefined;
  const term = value(cx, e.right);
  setMember(cx, self, name, term);
  return term;
};

/** A method or a getter of an object's class. */
export const ofClass = (
  cx: Context,
  e: AnyNode,
  from: ClassOf | undefined,
  self: Members,
  name: string,
): Term | undefined => {
  const { of, methods } = nearest(from, name);
  const method = methods.find((m) => m.kind !== 'set');
  if (!of || !method) return undefined;
  const closure = closureOf(cx, of, name, method.value);
  return method.kind === 'get' ? callFunction(cx, e as CallExpression, closure, [], self) : closure;
};

/** A member that a setter takes what is assigned to. */
export const accessor = (cx: Context, e: AnyNode, self: Members, name: string): Destination | undefined => {
  const { of, methods } = nearest(self.of, name);
  const setter = methods.find((m) => m.kind === 'set');
  if (!of || !setter) return undefined;
  const closure = closureOf(cx, of, name, setter.value);
  return {
    to: 'accessor',
    get: () => ofClass(cx, e, of, self, name) ?? nothing,
    set: (term) => void callFunction(cx, e as CallExpression, closure, [term], self),
  };
};

/** The getters and setters of an object literal, as those of a class. */
export const accessorsOf = (cx: Context, node: ObjectExpression, accessors: readonly Property[]): ClassOf => {
  const body = accessors.map((p) => ({ ...p, type: 'MethodDefinition', static: false }));
  return {
    name: 'value with getters',
    value: node,
    env: cx.env,
    node: { body: { body } } as unknown as Class,
    unit: cx.unit,
    parent: undefined,
    isLiteral: true,
  };
};

/** Whether objects of a class have a method, getter or setter of a name, or declare a member of it. */
export const isDeclared = (of: ClassOf | undefined, name: string): boolean =>
  of !== undefined &&
  (of.node.body.body.some(
    (m) =>
      (m.type === 'MethodDefinition' || m.type === 'PropertyDefinition') &&
      !m.static &&
      !m.computed &&
      keyName(m.key) === name,
  ) ||
    isDeclared(of.parent, name));

/** The methods, getter and setter of a name that the nearest class has. */
const nearest = (
  of: ClassOf | undefined,
  name: string,
): { readonly of?: ClassOf; readonly methods: readonly MethodDefinition[] } => {
  if (!of) return { methods: [] };
  const methods = of.node.body.body.filter(
    (m): m is MethodDefinition =>
      m.type === 'MethodDefinition' && m.kind !== 'constructor' && !m.static && !m.computed && keyName(m.key) === name,
  );
  return methods.length > 0 ? { of, methods } : nearest(of.parent, name);
};

/** `x instanceof C`. */
export const instanceOf = (cx: Context, e: BinaryExpression): Term | undefined => {
  const [x, of] = [value(cx, e.left as AnyNode), reference(cx, e.right)];
  if (of.is !== 'host' || !(typeof of.value === 'function' || of.value instanceof OwnClass)) return undefined;
  if (x.is === 'host' && typeof of.value === 'function') return literal(x.value instanceof of.value);
  if (x.is !== 'members') return undefined;
  let native: ClassOf['native'];
  for (let c: ClassOf | undefined = x.of; c; c = c.parent) {
    if (c.value === of.value) return literal(true);
    native = c.native;
  }
  const { prototype } = native ?? Object;
  return literal(typeof of.value === 'function' && (prototype === of.value.prototype || prototype instanceof of.value));
};

const construct = (cx: Context, e: AnyNode, of: ClassOf, self: Members, args: readonly Term[]): void => {
  const own = of.node.body.body.find((m) => m.type === 'MethodDefinition' && m.kind === 'constructor');
  const { making } = cx.session;
  const isWhole = !making.has(self);
  making.add(self);
  if (own?.type !== 'MethodDefinition') {
    above(cx, e, of, self, args);
    begin(cx, of, self);
  } else {
    if (!of.parent && !of.native) begin(cx, of, self);
    callFunction(cx, e as CallExpression, closureOf(cx, of, of.name, own.value), args, self);
  }
  if (isWhole) making.delete(self);
};

/** What is made of an object by the class that its own extends; errors of JavaScript keep what they say. */
const above = (cx: Context, e: AnyNode, of: ClassOf, self: Members, args: readonly Term[]): void => {
  if (of.parent) construct(cx, e, of.parent, self, args);
  else if (of.native && args.length > 0) setMember(cx, self, 'message', args[0]);
};

/** What is declared in the class itself: `name = value;`. */
const begin = (cx: Context, of: ClassOf, self: Members): void => {
  const inner: Context = { ...cx, unit: of.unit, env: new Env(of.env), self };
  for (const m of of.node.body.body) {
    if (m.type !== 'PropertyDefinition' || m.static || m.computed || !m.value) continue;
    const [name, term] = [keyName(m.key)!, value(inner, m.value)];
    const slot = self.members.get(name);
    if (slot) assignSlot(inner, m, slot, term);
    else setMember(cx, self, name, term);
  }
};

const setMember = (cx: Context, self: Members, name: string, term: Term): void => {
  holdItems(cx, term);
  (self.members as Map<string, Slot>).set(name, { is: 'constant', term, what: 'constant' });
};

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

const closureOf = (cx: Context, of: ClassOf, name: string, node: Closure['node']): Closure => {
  cx.session.homes.set(node, of);
  return { is: 'closure', name, node, unit: of.unit, env: of.env ?? new Env() };
};

/** The class in whose text the code stands. */
const homeOf = (cx: Context, e: AnyNode): ClassOf =>
  cx.calls.map(([f]) => cx.session.homes.get(f as AnyNode)).findLast((of) => of !== undefined) ??
  refuse(cx, e, 'lang/unsupported-syntax', 'what `super` means is not known outside of its class', 'write a function');

/** Members that are assigned to not only once, where the object is made; where others do, all. */
const changing = (of: ClassOf, byOthers: boolean): readonly string[] => {
  const times = new Map<string, number>();
  const count = (name: string | undefined, by: number): void =>
    void (name !== undefined && times.set(name, (times.get(name) ?? 0) + by));
  const targets = (node: AnyNode, once: boolean): void => {
    let [of, isWhole] = [node, true];
    while (of.type === 'MemberExpression' && bare(of.object).type !== 'ThisExpression')
      [of, isWhole] = [bare(of.object), false];
    if (of.type === 'MemberExpression') count(memberName(of), once && isWhole ? 1 : 2);
    else if (/Pattern$|^Property$/.test(node.type)) for (const child of children(node)) targets(child, false);
  };
  const visit = (node: AnyNode, top: boolean): void => {
    if (node.type === 'AssignmentExpression') targets(bare(node.left), top && node.operator === '=');
    if (node.type === 'UpdateExpression') targets(bare(node.argument), false);
    const first = top && node.type === 'ExpressionStatement';
    for (const child of children(node)) visit(child, first);
  };
  for (let c: ClassOf | undefined = of; c; c = c.parent)
    for (const m of c.node.body.body) {
      if (m.type === 'PropertyDefinition' && m.value && !m.static && !m.computed) count(keyName(m.key), 1);
      if (m.type !== 'MethodDefinition') continue;
      for (const s of m.value.body.body) visit(s, m.kind === 'constructor');
    }
  return [...times].filter(([, n]) => byOthers || n > 1).map(([name]) => name);
};
