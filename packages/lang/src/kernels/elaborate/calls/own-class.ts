import type { AnyNode, CallExpression, Class, StaticBlock } from 'acorn';
import { classIn, closureOf, methodsIn, nativeError, noClass, OwnClass } from './class-of.js';
import { unsupported, type Context } from '../context/context.js';
import { Env } from '../context/env.js';
import { reference, value } from '../expressions/evaluate.js';
import { fromHost } from '../terms/host-value.js';
import { callFunction } from './inline.js';
import { made } from '../terms/made.js';
import { keyName } from '../terms/member-name.js';
import { keepName } from '../terms/names.js';
import { part } from '../terms/part.js';
import { run } from '../context/run.js';
import { readSlot } from '../terms/slots.js';
import { nothing, type ClassOf, type Host, type Members, type Slot, type Term } from '../context/term.js';

/** A class that the kernel declares; it stands for itself, as one of the surroundings does. */
export const ownClass = (cx: Context, node: AnyNode & Class): Term => {
  const name = node.id?.name ?? 'class';
  const odd = node.body.body.find(
    (m) => m.type !== 'StaticBlock' && (m.computed || (m.static && m.type === 'MethodDefinition' && m.kind === 'set')),
  );
  if (odd)
    return unsupported(
      cx,
      odd,
      'a computed member or a static setter of a class that stands in the kernel',
      'name the member, and write a function that sets it',
    );
  const extended = node.superClass ? reference(cx, node.superClass) : undefined;
  const parent = extended?.is === 'host' ? classIn(cx, node, extended) : undefined;
  const native = extended?.is === 'host' && !parent ? nativeError(extended.value) : undefined;
  if (extended && !parent && !native) return noClass(cx, node, name);
  const statics = made(cx, node, { is: 'members', members: new Map() } as Members);
  const of = new OwnClass(name, node, cx.unit, cx.env, parent, native, statics);
  cx.session.ownClasses.set(node, of);
  const self: Host = { is: 'host', name, value: of, statics };
  beginStatics(cx, of, self, statics.members as Map<string, Slot>);
  return self;
};

/** Static members, one after the other, as the class is declared; its name is known to them. */
const beginStatics = (cx: Context, of: ClassOf, self: Host, members: Map<string, Slot>): void => {
  const { node, unit } = of;
  cx.session.homes.set(node as AnyNode, of);
  const inner: Context = { ...cx, env: new Env(cx.env), self, calls: [...cx.calls, [node]] };
  const binding = unit.text.parsed.scopes.bindings.find((b) => b.node === node);
  if (binding) inner.env.bind(binding, { is: 'constant', term: self, what: 'constant' });
  for (const m of node.body.body) {
    if (m.type === 'StaticBlock' && !keepsName(cx, m)) run(inner, m.body, m.body);
    if (m.type === 'PropertyDefinition' && m.static)
      members.set(keyName(m.key)!, part(cx, m, self.statics!, m.value ? value(inner, m.value) : nothing));
  }
};

/** A static member of a class that the kernel declares, or of one that it extends. */
export const staticMember = (cx: Context, e: AnyNode, self: Host, name: string): Term | undefined =>
  staticOf(cx, e, self.value as ClassOf, self, name);

/** The same from a class on, where it is asked of another. */
export const staticOf = (
  cx: Context,
  e: AnyNode,
  from: ClassOf | undefined,
  self: Host,
  name: string,
): Term | undefined => {
  if (!from) return undefined;
  if (!(from.value instanceof OwnClass)) {
    const holder = from.value as Readonly<Record<string, unknown>>;
    return name in holder ? fromHost(cx, e, `${from.name}.${name}`, holder[name]) : undefined;
  }
  const slot = from.value.statics.members.get(name);
  if (slot) return readSlot(cx, e, slot);
  const method = methodsIn(from, name, true).find((m) => m.kind !== 'set');
  if (!method)
    return name === 'name' ? { is: 'host', name, value: from.name } : staticOf(cx, e, from.parent, self, name);
  const closure = closureOf(cx, from, name, method.value);
  return method.kind === 'get' ? callFunction(cx, e as CallExpression, closure, [], self) : closure;
};

/** Whether this is what bundlers add to keep the name of a class. */
const keepsName = (cx: Context, { body: [first, ...more] }: StaticBlock): boolean => {
  const e = first?.type === 'ExpressionStatement' ? first.expression : undefined;
  if (e?.type !== 'CallExpression' || more.length > 0) return false;
  const callee = reference(cx, e.callee);
  return callee.is === 'host' && callee.value === keepName;
};
