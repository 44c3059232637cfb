import { rare } from '#rare';
import type { Buffer, Diagnostic, Extension, ScalarType } from '@filigree/ir';
import type { Layout } from '@filigree/sparse/fields';
import { keptOf } from '../../source/kept.js';
import { wordsOf } from '../extension.js';
import type { Intrinsic } from '../intrinsics/intrinsic.js';
import { intrinsicOf } from '../intrinsics/intrinsics.js';
import { word } from '../intrinsics/word.js';
import { floatOf, type KernelDef } from '../kernel.js';
import type { Block, Local, Reduction } from '../code/code.js';
import type { Shape } from '../vocabulary/algebra.js';
import type { Origin } from '../code/origin.js';
import type { WholeVariables } from '../code/whole.js';
import type { Context } from './context/context.js';
import { Env } from './context/env.js';
import { expression } from './expression.js';
import { knownAtFirst, Refused, Session, TooLarge, type Known, type TableUse } from './context/session.js';
import { ifThere } from './expressions/optional.js';
import { statements } from './statements/statement.js';
import { itemsOf } from './terms/items.js';
import { loaded } from './terms/member.js';
import { isMissing } from './terms/missing.js';
import { isScalar, shapedTerm, unshaped, type Shaped, type Term } from './context/term.js';
import type { Unit } from '../code/origin.js';
import { functionOfUnit, unitOf } from './context/unit.js';
import { runBody } from './calls/body.js';
import type { Interval, Scalar, Temp } from '../code/scalar.js';
import type { AnyNode } from 'acorn';
import { readSlot, variable } from './terms/slots.js';

/** A kernel's code, and what it needs around it. */
export interface Elaborated {
  readonly code: Block;
  readonly session: Session;
  readonly origin: Origin;
  readonly params: readonly (readonly [name: string, value: Temp & { readonly type: ScalarType }])[];
  readonly arrays: readonly ArrayParam[];
  /** Of each argument: what it is where a launch leaves it out. */
  readonly defaults: readonly (readonly string[] | undefined)[];
  readonly tables: readonly TableUse[];
  readonly reductions: readonly Reduction[];
  readonly hasResult: boolean;
  /** Of a vector or matrix that is returned. */
  readonly resultShape: Shape;
  /** Of an object what its numbers are called. */
  readonly resultNames: readonly string[] | undefined;
  readonly random: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

export interface ArrayParam {
  readonly name: string;
  /** The name of the parameter that is its length. */
  readonly length: string;
  readonly buffer: Buffer;
}

/**
 * From the text of a kernel to its code: names are resolved, calls inlined, and whatever is known at compile time is
 * evaluated. Problems are collected. A kernel that turns out to use random numbers is elaborated a second time, since
 * its loops then need seeds; and so is one where a variable that begins as null is asked, in a loop, before it is given what it holds, or where
 * a function assigns to parts of what it is given.
 *
 * @param whole the variables that an attempt before showed to be whole
 */
export const elaborate = (
  def: KernelDef,
  layout: Layout,
  extensions: readonly Extension[] = [],
  { derivatives = false, debug = false }: { readonly derivatives?: boolean; readonly debug?: boolean } = {},
  whole: WholeVariables = new Map(),
): Elaborated => {
  const words = new Map([...wordsOf(extensions)].map(([fn, [name, of]]) => [fn, word(name, of)]));
  const scope = { ...keptOf(def.fn)?.scope, ...def.scope };
  const unit = unitOf(def.fn as (...args: never[]) => unknown, scope, { at: def.at, called: def.name, near: [] });
  const attempted = (random: boolean, known = knownAtFirst(whole)): Elaborated => {
    const made = attempt(def, unit, layout, words, random, { derivatives, debug, known });
    const learned = made.session.learned();
    return learned ? attempted(random, learned) : made;
  };
  const first = attempted(false);
  return first.session.usesRandom && first.diagnostics.length === 0 ? attempted(true) : first;
};

const attempt = (
  def: KernelDef,
  unit: Unit,
  layout: Layout,
  words: ReadonlyMap<unknown, Intrinsic>,
  random: boolean,
  { derivatives, debug, known }: { readonly derivatives: boolean; readonly debug: boolean; readonly known: Known },
): Elaborated => {
  const session = new Session(def.name, floatOf(def), layout, derivatives, debug, known);
  const node = functionOfUnit(unit);
  const origin: Origin = { unit, offset: node?.start ?? 0 };
  const params: [string, Temp & { readonly type: ScalarType }][] = [];
  const arrays: ArrayParam[] = [];
  let defaults: Elaborated['defaults'] = [];
  let hasResult = false;
  let resultShape: Shape = [];
  let resultNames: readonly string[] | undefined;
  const names = new Set<string>();

  /** A name for a parameter that no other has. */
  const param = (wanted: string, type: ScalarType, within?: Interval): Temp => {
    let name = wanted;
    for (let k = 1; names.has(name); k++) name = `${wanted}_${k}`;
    names.add(name);
    const temp = { is: 'temp', type, hint: name, ...(within ? { within } : {}) } as const;
    params.push([name, temp]);
    return temp;
  };

  const argument = (k: number): Term => {
    const arg = def.args[k];
    const parameter = node?.params[k];
    const pattern = parameter?.type === 'AssignmentPattern' ? parameter.left : parameter;
    const printed = pattern?.type === 'Identifier' ? pattern.name : `arg${k}`;
    const name = (Object.hasOwn(unit.names, printed) ? unit.names[printed] : printed).replace(/\W/g, '_');
    if (typeof arg === 'string') return param(name, arg);
    if (arg.is === 'shaped') {
      const count = arg.shape.reduce((all, side) => all * side, 1);
      const elements = Array.from({ length: count }, (_, at) => param(`${name}_${at}`, arg.type));
      return { is: 'shaped', shape: arg.shape, elements };
    }
    if (arg.is !== 'array') return { is: 'element', field: arg, index: [] };
    const buffer = session.bufferName(name);
    const length = param(`${name}_length`, 'i32', [0, arg.maxLength]);
    const declared = { name: buffer, type: arg.type, length: arg.maxLength, role: 'inout' } as const;
    arrays.push({ name, length: length.hint ?? name, buffer: declared });
    return { is: 'array', name, buffer, type: arg.type, length, maxLength: arg.maxLength };
  };

  const end = { label: { name: 'ended' }, left: false };
  const results: Local[] = [];
  const body = session.record(() => {
    try {
      if (!node)
        return session.refuse(
          origin,
          'lang/not-a-function',
          'this is no plain function',
          'pass a function or an arrow function',
        );
      const args = def.args.map((_, k) => argument(k));
      const wanted = node.params.filter((p) => p.type !== 'RestElement' && p.type !== 'AssignmentPattern').length;
      if (wanted > args.length)
        session.refuse(
          origin,
          'lang/parameters',
          `the function has ${wanted} parameters, and the kernel ${args.length} arguments`,
          'give one for each: kernel([u, v], (u, v) => …)',
        );
      const cx: Context = {
        session,
        elaborator: { expression, ifThere, statements, word: (f) => intrinsicOf(f) ?? words.get(f) },
        unit,
        env: new Env(),
        parallel: undefined,
        looped: false,
        exits: { loop: undefined, named: new Map(), return: undefined },
        end,
        calls: [[node]],
        since: 0,
        frame: 0,
        stretch: {},
        visiting: [],
        random: undefined,
      };
      const seeded = random ? { ...cx, random: rare().begin(cx, node, param('seed', 'u32'), []) } : cx;
      const whole = runBody(seeded, node, node, args, 'argument');
      const returned = whole.is === 'members' ? rare().numbersOfObject(cx, node, whole) : listAsVector(cx, node, whole);
      defaults = def.args.map((arg, k) => {
        const parameter = node.params[k];
        return parameter?.type === 'AssignmentPattern' ? rare().givenDefault(cx, parameter, arg) : undefined;
      });
      if (returned.is === 'nothing') return;
      if (isMissing(cx, node, whole)) return rare().refuseResult(session, origin);
      if (!isScalar(returned) && returned.is !== 'shaped') return rare().refuseResult(session, origin, returned);
      if (returned.is === 'shaped') resultShape = returned.shape;
      if (whole.is === 'members') resultNames = [...whole.members.keys()];
      hasResult = true;
      const values = elementsOf(cx, node, returned);
      if (!end.left) return session.emit(origin, { do: 'result', values });
      const cell = { name: 'result', unnamed: true } as const;
      for (const value of values) {
        const local = session.local('result', cell);
        results.push(local);
        session.emit(origin, { do: 'write', local, value });
      }
    } catch (e) {
      if (!(e instanceof Refused || e instanceof TooLarge)) throw e;
    }
  });
  reportLeft(session);
  const code = end.left
    ? session.record(() => {
        session.emit(origin, { do: 'declare', locals: results });
        session.emit(origin, { do: 'block', label: end.label, body });
        const values = results.map((local): Temp => {
          const to: Temp = { is: 'temp' };
          session.emit(origin, { do: 'read', to, local });
          return to;
        });
        if (hasResult) session.emit(origin, { do: 'result', values });
      })
    : body;
  return {
    code,
    session,
    origin,
    params,
    arrays,
    defaults,
    tables: session.tables,
    reductions: session.reductions,
    hasResult,
    resultShape,
    resultNames,
    random,
    diagnostics: session.diagnostics,
  };
};

/** Reports members that only some of the objects have that a variable holds, where somebody asks whether they are there. */
const reportLeft = (session: Session): void => {
  for (const { name, of, at } of session.left)
    if (session.lacking.has(name) || session.listed.has(of))
      session.report(
        at,
        'lang/shape',
        `this object has \`${name}\`, which the object does not have that is here elsewhere, and it is asked whether it is there`,
        `give all of them the same members, \`${name}: undefined\` where one has none`,
      );
};

/** A list of numbers, which a launch gives back as it does a vector. */
const listAsVector = (cx: Context, node: AnyNode, returned: Term): Term => {
  if (returned.is !== 'list' || returned.items.length === 0) return returned;
  const items = itemsOf(cx, node, returned).map((item) => loaded(cx, node, item));
  return items.every(isScalar) ? unshaped([items.length], items) : returned;
};

/** What a kernel returns; the elements of a vector have one type. */
const elementsOf = (cx: Context, node: AnyNode, returned: Scalar | Shaped): readonly Scalar[] =>
  isScalar(returned)
    ? [returned]
    : shapedTerm(readSlot(cx, node, variable(cx, node, 'result', returned)) as Scalar | Shaped).elements;
