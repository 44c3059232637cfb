import type {
  AnyNode,
  AssignmentExpression,
  BinaryExpression,
  CallExpression,
  Class,
  MemberExpression,
  MethodDefinition,
  NewExpression,
  ObjectExpression,
  Property,
} from 'acorn';
import { bare, children } from '../../../source/ast.js';
import { literal } from '../../code/scalar.js';
import { classIn, closureOf, homeOf, methodsIn, OwnClass } from './class-of.js';
import { refuse, type Context } from '../context/context.js';
import type { Destination } from '../places/destination.js';
import { Env } from '../context/env.js';
import { argumentsOf, reference, value } from '../expressions/evaluate.js';
import { callFunction } from './inline.js';
import { made } from '../terms/made.js';
import { keyName, memberName } from '../terms/member-name.js';
import { staticOf } from './own-class.js';
import { holdItems } from '../terms/sharing.js';
import { assignSlot, pending } from '../terms/slots.js';
import { isScalar, nothing, type ClassOf, type Members, type Slot, type Term } from '../context/term.js';

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

/** `super(…)`: what the class that is extended makes of the object, and then what the members of this one begin with. */
export const superCall = (cx: Context, e: CallExpression): Term => {
  const of = homeOf(cx, e);
  above(cx, e, of, cx.self as Members, argumentsOf(cx, e));
  begin(cx, of, cx.self as Members);
  return nothing;
};

/** `super.name`: what the class that is extended has by that name. */
export const superMember = (cx: Context, e: AnyNode, name: string): Term =>
  (cx.self?.is === 'host'
    ? staticOf(cx, e, homeOf(cx, e).parent, cx.self, name)
    : ofClass(cx, e, homeOf(cx, e).parent, cx.self as Members, name)) ??
  refuse(cx, e, 'lang/unknown-member', `the class that is extended has no \`${name}\``, 'call what it has');

/** `this.name = …` where the object is made, of a member that nothing else assigns to: it is what it is given. */
export const initial = (cx: Context, e: AssignmentExpression): Term | undefined => {
  const target = bare(e.left);
  if (target.type !== 'MemberExpression' || bare(target.object).type !== 'ThisExpression') return undefined;
  const name = memberName(target);
  const { self } = cx;
  if (name === undefined || self?.is !== 'members' || self.members.has(name) || !cx.session.making.has(self))
    return undefined;
  if (self.of && hasAccessor(self.of, name)) return undefined;
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

/** `super.name = …`: what the setter of the class that is extended takes. */
export const superDestination = (cx: Context, e: MemberExpression): Destination => {
  const name = memberName(e);
  const setter =
    name !== undefined && cx.self?.is === 'members' ? accessor(cx, e, cx.self, name, homeOf(cx, e).parent) : undefined;
  return (
    setter ??
    refuse(
      cx,
      e,
      'lang/unknown-member',
      'the class that is extended has no such setter',
      'assign to a member of `this`',
    )
  );
};

/** A member that a setter takes what is assigned to, of the class of an object, or one that it extends. */
export const accessor = (
  cx: Context,
  e: AnyNode,
  self: Members,
  name: string,
  from = self.of,
): Destination | undefined => {
  const { of, methods } = nearest(from, name);
  const setter = methods.find((m) => m.kind === 'set');
  if (!of || !setter) return undefined;
  const closure = closureOf(cx, of, name, setter.value);
  return {
    to: 'accessor',
    get: () => ofClass(cx, e, of, self, name) ?? nothing,
    set: (term) => void callFunction(cx, e as CallExpression, closure, [term], self),
  };
};

/** The getters and setters of an object literal that has these names, as those of a class. */
export const accessorsOf = (
  cx: Context,
  node: ObjectExpression,
  accessors: readonly Property[],
  listed: ReadonlySet<string>,
): ClassOf => {
  const body = accessors.map((p) => ({ ...p, type: 'MethodDefinition', static: false }));
  return {
    name: 'value with getters',
    value: node,
    env: cx.env,
    node: { body: { body } } as unknown as Class,
    unit: cx.unit,
    parent: undefined,
    listed,
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
  const methods = methodsIn(of, name, false);
  return methods.length > 0 ? { of, methods } : nearest(of.parent, name);
};

/** Whether objects of a class have a method, getter or setter of a name. */
export const hasMethod = (of: ClassOf, name: string): boolean => nearest(of, name).methods.length > 0;

/** Whether a class has functions for what is assigned to a member. */
const hasAccessor = (of: ClassOf, name: string): boolean => nearest(of, name).methods.some((m) => m.kind !== 'method');

/** `x instanceof C`. */
export const instanceOf = (cx: Context, e: BinaryExpression): Term | undefined => {
  const [x, of] = [value(cx, e.left as AnyNode), reference(cx, e.right)];
  if (of.is !== 'host' || !(typeof of.value === 'function' || of.value instanceof OwnClass)) return undefined;
  if (isScalar(x)) return literal(false);
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
  return [...times].filter(([name, n]) => (byOthers || n > 1) && !hasAccessor(of, name)).map(([name]) => name);
};
