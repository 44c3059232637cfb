import { rare } from '#rare';
import { AXIS_NAMES } from '@filigree/ir';
import type { AnyNode, CallExpression } from 'acorn';
import type { AnyField, PlacedField } from '@filigree/sparse/fields';
import type { FunctionNode } from '../../../source/ast.js';
import type { Label, Local, Reduction } from '../../code/code.js';
import type { Call, Origin, Unit } from '../../code/origin.js';
import type { OperatorName } from '../../code/operators.js';
import type { RandomState } from '../../vocabulary/random.js';
import type { Missing } from './absence.js';
import type { Env } from './env.js';
import type { Session } from './session.js';
import { isScalar, type Pending, type Term } from './term.js';
import { literal, type Scalar, type Temp } from '../../code/scalar.js';

/** Where in a kernel the code stands that is being elaborated. */
export interface Context {
  readonly session: Session;
  readonly elaborator: Elaborator;
  readonly unit: Unit;
  readonly env: Env;
  /** The parallel loop around, if there is one. */
  readonly parallel: ParallelBody | undefined;
  /** Whether any loop is around that runs in the kernel; unrolled ones do not count. */
  readonly looped: boolean;
  readonly exits: Exits;
  /** The end of the iteration of the parallel loop around, or of the kernel. */
  readonly end: End;
  /**
   * Calls that are being inlined, the kernel's own first: each the function, and the functions, known numbers and objects it is given. A function
   * that calls what it is given, as `sum` does, can so be called again by that, and one that counts down to a known end by itself.
   */
  readonly calls: readonly (readonly unknown[])[];
  /** In words of the language that are kernel code themselves: where they are called, which is what the user wrote. */
  readonly calledFrom?: Origin | undefined;
  /** The call or choice of which it is asked whether it gives something. */
  readonly asked?: AnyNode | undefined;
  /** The call that is being inlined, of a function that stands elsewhere. */
  readonly call?: Call | undefined;
  /** When the innermost call began: names that came to be later end with it. */
  readonly since: number;
  /** What has names of its own here, which end with it. */
  readonly frame: number;
  /** The same object for all that runs whenever what is around it does; branches and loops of the kernel, and calls, have others. */
  readonly stretch: object;
  /** What loops around visit the items of. */
  readonly visiting: readonly object[];
  /** What `this` is: the object that a method was called of. */
  readonly self?: Term | undefined;
  /** Where the random numbers stand. */
  readonly random: RandomState<Local> | undefined;
  /** Whether they are those of an iteration of a loop that would be parallel for being outermost: loops in it go on with them. */
  readonly ownRandom?: boolean;
}

/**
 * What everything else is written in terms of: an expression may be a call, a call runs statements, and statements hold expressions.
 * `elaborate` puts the two together and hands them down, so that each file knows only the parts that it is made of.
 */
export interface Elaborator {
  /** What an expression stands for; see `reference` and `value`, by which it is asked. */
  readonly expression: (cx: Context, node: AnyNode) => Term;
  /** The value of what is compared or a condition; see `compared`. */
  readonly ifThere: (cx: Context, node: AnyNode) => Term;
  /** Statements in order; see `run`. */
  readonly statements: (cx: Context, list: readonly AnyNode[], scope: readonly AnyNode[]) => void;
  /** What a function means that is a word of the language or of an extension. */
  readonly word: (f: unknown) => ((cx: Context, e: CallExpression) => Term) | undefined;
}

/** What is known of a parallel loop while its body is elaborated. */
export interface ParallelBody {
  readonly reductions: Map<Local, Reduction & { readonly at: Origin }>;
  /** Truth values of the surroundings that iterations decide on, the bit that says where it was decided, and whether all must hold. */
  readonly decisions: Map<Local, { readonly bit: Local; readonly every: boolean }>;
  /** Locals of the surroundings that the body reads. */
  readonly reads: Map<Local, Origin>;
  /** Names of fields to keep in scratchpads. */
  readonly cache: string[];
  readonly active: boolean;
  /** The indices of an iteration. */
  readonly variables: readonly Temp[];
  /** Where it stands, if it can run in order as well. */
  readonly site: string | undefined;
  /** The nodes whose cells the loop walks over, from the root down; none for a loop over numbers. */
  readonly over: readonly number[];
}

/** What `throw` leaves. */
export interface End {
  readonly label: Label;
  /** Whether something does. */
  left: boolean;
}

/** What `break`, `continue` and `return` leave. */
export interface Exits {
  readonly loop: { readonly break: Label | undefined; readonly continue: Label | undefined } | undefined;
  readonly named: ReadonlyMap<string, { readonly break: Label | undefined; readonly continue: Label | undefined }>;
  /**
   * `value` receives what is returned by the function `of`, of which `asked` says that it may be nothing; `whole` says that it ends the function, which in a parallel
   * loop nothing does.
   */
  readonly return:
    | {
        readonly label: Label;
        readonly value: Pending | undefined;
        readonly of?: FunctionNode;
        readonly asked: boolean;
        readonly whole: boolean;
      }
    | undefined;
}

/** The place of a node in the user's text. */
export const originOf = (cx: Context, node: AnyNode): Origin =>
  cx.calledFrom ?? { unit: cx.unit, offset: node.start, ...(cx.call && { call: cx.call }) };

/** The context of what may run or not, or several times. */
export const apart = (cx: Context): Context => ({ ...cx, stretch: {} });

/** Reports a problem at a node and gives up the statement. */
export const refuse = (cx: Context, node: AnyNode, code: string, message: string, remedy: string): never =>
  cx.session.refuse(originOf(cx, node), code, message, remedy);

export const unsupported = (cx: Context, node: AnyNode, what: string, remedy: string): never =>
  refuse(cx, node, 'lang/unsupported-syntax', `${what} cannot be part of a kernel`, remedy);

/** A term that must be a scalar. */
export const asScalar = (cx: Context, node: AnyNode, term: Term): Scalar => {
  if (isScalar(term)) return takenAsThere(cx, node, term);
  if (term.is === 'element') return wrongIndices(cx, node, term);
  return rare().otherNumber(cx, node, term);
};

/** Whether a variable is taken to have a value by who does not ask. */
export const isPromised = ({ promised, givenPromised }: Missing): boolean => promised ?? givenPromised ?? false;

/** A value that is used; refused where it may be undefined or null, and nobody has asked. */
export const takenAsThere = <T extends Term>(cx: Context, node: AnyNode, term: T): T => {
  const known = cx.session.missing.get(term);
  const missing = known && ('from' in known ? known.from : known);
  if (known && 'use' in known && known.use) known.use.isValue = true;
  if (missing && isPromised(missing)) {
    if (!missing.asked && cx.session.debug) rare().promised(cx, node, missing);
    return term;
  }
  return missing && missing.local && !missing.asked
    ? refuse(cx, node, 'lang/unassigned', `this may be ${missing.of}`, 'say what then: x ?? 0, if (x !== undefined) …')
    : term;
};

/** What JavaScript takes a scalar for where a number is wanted: a truth value is 1 or 0. */
export const asNumber = (cx: Context, node: AnyNode, x: Scalar): Scalar =>
  cx.session.isTruth(x) ? compute(cx, node, 'select', x, literal(1), literal(0)) : x;

/** A field was read or written with fewer indices than it has axes. */
export const wrongIndices = (cx: Context, node: AnyNode, term: Term & { is: 'element' }): never => {
  const axes = axesOfField(cx, node, term.field);
  return refuse(
    cx,
    node,
    'lang/indices',
    `field '${term.field.name}' has ${count(axes, 'index', 'indices')}, here it has ${term.index.length === 0 ? 'none' : term.index.length}`,
    `write ${term.field.name}${AXIS_NAMES.slice(0, axes)
      .split('')
      .map((a) => `[${a}]`)
      .join('')}`,
  );
};

const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

/** Of how many indices a field has an element. */
export const axesOfField = (cx: Context, node: AnyNode, field: AnyField): number =>
  placedOf(cx, node, field).axes.length;

/** Where the layout has a field; of a vector or matrix field its first component. */
export const placedOf = (cx: Context, node: AnyNode, field: AnyField): PlacedField => {
  const first = field.is === 'scalar' ? field : field.components[0];
  const placed = cx.session.layout.fields.get(first.name);
  if (placed?.field === first) return placed;
  return placed
    ? refuse(
        cx,
        node,
        'lang/not-placed',
        `field '${field.name}' belongs to another layout; this one has a field of the same name`,
        'give the kernel the field that the layout of its program places',
      )
    : refuse(
        cx,
        node,
        'lang/not-placed',
        `field '${field.name}' is not part of this layout`,
        'place it: layout(dense(ij, n).place(u))',
      );
};

/** An operation at a node. */
export const compute = (cx: Context, node: AnyNode, operator: OperatorName, ...args: readonly Scalar[]): Scalar =>
  cx.session.compute(originOf(cx, node), operator, ...args);
