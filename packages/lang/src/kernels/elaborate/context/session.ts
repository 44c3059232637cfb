import type { AnyNode } from 'acorn';
import { isInteger, type Diagnostic, type ScalarType } from '@filigree/ir';
import type { Layout } from '@filigree/sparse/fields';
import {
  exitsOf,
  leaves,
  type Action,
  type Block,
  type Cell,
  type Instruction,
  type Label,
  type Local,
  type Reduction,
} from '../../code/code.js';
import { resultInterval } from '../../code/interval.js';
import { folded } from '../../code/fold.js';
import { leastType } from '../../code/kinds.js';
import type { OperatorName, WordOperator } from '../../code/operators.js';
import { isWholeNumber, ROUNDING, STAYS_WHOLE, type WholeVariables } from '../../code/whole.js';
import { diagnosticAt, type Origin, type Unit } from '../../code/origin.js';
import type { Interval, Scalar, Temp } from '../../code/scalar.js';
import type { Notes, NoteSite } from '../../notes.js';
import type { Absent, Flag, Missing } from './absence.js';
import type { ClassOf, Table, Term, Variable } from './term.js';

/**
 * Thrown when a statement cannot be understood, after its diagnostic was reported; elaboration continues with the next
 * statement.
 */
export class Refused extends Error {}

/** A constant table that a kernel reads at an index known only when it runs. */
export interface TableUse {
  readonly buffer: string;
  readonly type: ScalarType;
  readonly values: readonly (number | bigint)[];
  /** Of floats: the buffer that holds them as f64, for where they are used with f64. */
  readonly wide?: string;
  /** Of an array that does not say its type, and so takes one of its numbers. */
  readonly untyped?: true;
}

/** What one attempt finds out that the next must know from its beginning. */
export interface Known {
  /** Of variables that begin as nothing: what they are given, by where they are declared. */
  readonly shapes: ReadonlyMap<string, Term>;
  /** Where arrays and objects are made whose parts are variables. */
  readonly written: ReadonlySet<string>;
  /** Whether a variable is undefined and null in turn. */
  readonly mixed: boolean;
  /** Variables that begin with a value and are given nothing later, and which, by where they are declared. */
  readonly optional: ReadonlyMap<string, Absent>;
  /** What variables are given that hold objects and texts of the surroundings, by where they are declared. */
  readonly picked: ReadonlyMap<string, readonly unknown[]>;
  /** Where variables are declared that hold an object of the surroundings and are given such as the kernel makes. */
  readonly opened: ReadonlySet<string>;
  /** Names for one of several arrays or objects that are read alone, and are no copies, since these change, by where they are declared. */
  readonly places: ReadonlySet<string>;
  /** Loops that are written out, since an array grows in them or they choose fields, by where they stand. */
  readonly writtenOut: ReadonlySet<string>;
  /** Outermost loops that run in order, since they keep which iteration had the least or greatest, by where they stand. */
  readonly inOrder: ReadonlySet<string>;
  /** Variables by which fields are chosen, by where they are declared: whether what they hold may be known as the kernel goes on. */
  readonly stepped: ReadonlyMap<string, boolean>;
  /** Variables that hold whole numbers alone. */
  readonly whole: WholeVariables;
  readonly texts: Texts;
}

/** What was read of the surroundings, once for all attempts: what one of them knows of an object names its class. */
interface Texts {
  /** The texts of functions and classes. */
  readonly units: Map<unknown, Unit>;
  /** Classes by their value. */
  readonly classes: Map<unknown, ClassOf>;
}

export const knownAtFirst = (whole: WholeVariables): Known => ({
  shapes: new Map(),
  written: new Set(),
  mixed: false,
  optional: new Map(),
  picked: new Map(),
  opened: new Set(),
  places: new Set(),
  writtenOut: new Set(),
  inOrder: new Set(),
  stepped: new Map(),
  whole,
  texts: { units: new Map(), classes: new Map() },
});

/** An array or object that the kernel makes: where, in what stretch of it, and whether its parts are variables. */
interface Made {
  readonly site: string;
  readonly stretch: object;
  /** When, as a number that grows. */
  readonly since: number;
  readonly written: boolean;
}

/**
 * What the compilation of one kernel accumulates: instructions, diagnostics, and what they use. Blocks are recorded one
 * within another.
 */
export class Session {
  readonly diagnostics: Diagnostic[] = [];
  readonly reductions: Reduction[] = [];
  readonly tables: TableUse[] = [];
  /** Of several values of the surroundings one member or item of each, by its name; and the tables of those that are numbers. */
  readonly parts = new Map<readonly unknown[], Map<string | number, readonly unknown[]>>();
  readonly tableOfPart = new Map<readonly unknown[], Table | undefined>();
  /** Arrays of numbers that the kernel writes, by their text. */
  readonly literals = new Map<string, Term>();
  /** The letters of texts. */
  readonly letters = new Map<string, readonly string[]>();
  /** The keys of Maps, Sets and records that are asked for one, and what these have for them. */
  readonly collections = new Map<object, readonly (readonly unknown[])[]>();
  /** Numbers of such values, by which they are compared. */
  readonly numbers = new Map<unknown, number>();
  /** Of these the words of the language, and what they call. */
  readonly words = new Set<Unit>();
  /** Names of fields to read through the cache nearest to the processor. */
  readonly cacheL1 = new Set<string>();
  /** Arrays and objects that a name is bound to. */
  readonly named = new WeakSet<object>();
  /** Copies of named arrays and objects, where JavaScript would hold the original: they may only be read. */
  readonly copies = new WeakSet<object>();
  /** Of these the copies of one that changes. */
  readonly snapshots = new WeakSet<object>();
  /** Of these what they are copies of. */
  readonly origins = new WeakMap<object, readonly Term[]>();
  /** Originals that have to stay as they are, and the frames in which they do; 0 never ends. */
  readonly kept = new WeakMap<object, number[]>();
  /** Arrays and objects, and the frames of who holds them. */
  readonly holders = new WeakMap<object, number[]>();
  /** What is being elaborated and has names of its own. */
  readonly frames = new Set([0]);
  /** Arrays and objects whose parts are assigned to. */
  readonly assignedParts = new WeakSet<object>();
  /** Arrays and objects with a name of which there are copies. */
  readonly copied = new WeakSet<object>();
  /** Arrays and objects that the kernel makes. */
  readonly made = new WeakMap<object, Made>();
  /** Members that an object has and the variable that it is given to does not, whose object has fewer; and where that is. */
  readonly left: { readonly name: string; readonly of: Term; readonly at: Origin }[] = [];
  /** Members that were asked for of objects that have none of that name. */
  readonly lacking = new Set<string>();
  /** Objects all of whose members were asked for. */
  readonly listed = new Set<Term>();
  /** Iterators that were gone through. */
  readonly iterated = new WeakSet<object>();
  /** Arrays and objects of variables that are assigned anew as a whole. */
  readonly rebound = new WeakSet<object>();
  /** Vectors that have a name, or are of a field, and since when. */
  readonly held = new WeakMap<object, number>();
  /** Of these the ones whose components their name assigns to, and the variable that they were read of. */
  readonly changing = new WeakMap<object, Variable | undefined>();
  /** Variables without a name of their own that were given a vector that has one, and since when it has. */
  readonly holding = new WeakMap<object, number>();
  /** Of these the ones that were given a vector whose components are assigned to. */
  readonly changingIn = new WeakSet<object>();
  /** Values that are truth values, whatever is found of types, and variables that were given one. */
  private readonly truths = new WeakSet<object>();
  /** Whole numbers that operations made of whole numbers. */
  private readonly wholes = new WeakSet<object>();
  /** Whole numbers that came of rounding, and may be floats therefore. */
  private readonly rounded = new WeakSet<object>();
  /** Classes that the kernel declares, by where they stand. */
  readonly ownClasses = new Map<ClassOf['node'], ClassOf>();
  /** Of methods and constructors of classes whose they are. */
  readonly homes = new Map<AnyNode, ClassOf>();
  /** Of values that may be undefined or null when the kernel runs: whether they are. */
  readonly missing = new WeakMap<object, Missing | Flag>();
  /** Of variables that begin as nothing and were asked before they were given anything, where they are declared. */
  readonly guessed = new Set<string>();
  /** What such variables are given, with zeros for numbers. */
  readonly found = new Map<string, Term>();
  /** Variables that begin with a value: where they are declared. */
  readonly declared = new WeakMap<object, string>();
  /** Of these the ones that are given what may be nothing. */
  private readonly optional = new Map<string, Absent>();
  /** Where arrays and objects are made of which parts are assigned to by another name than their own. */
  private readonly assigned = new Set<string>();
  /** What stands for the first object or text of the surroundings that a variable is given, and where that is declared. */
  readonly sites = new WeakMap<object, string>();
  /** What such variables are given. */
  private readonly picked = new Map<string, ReadonlySet<unknown>>();
  /** Such variables that are given objects of the kernel as well. */
  private readonly opened = new Set<string>();
  /** Copies of one of several objects of which a method is called, and where. */
  readonly calledOf = new WeakMap<object, string>();
  /** Names that hold a copy of one of several arrays or objects, by where they are declared. */
  readonly copying = new Set<string>();
  /** Of these all where one of those changes while a copy is held, and calls of methods that change the object. */
  private readonly places = new Set<string>();
  /** Loops that count, by the stretch of their bodies: where those stand that can be written out, and the stretch around. */
  readonly counted = new WeakMap<object, { readonly site: string | undefined; readonly around: object }>();
  /** Where short loops stand, by the names that they count by. */
  readonly counters = new Map<object, string>();
  /** Of these such in which an array grows, or by which a field is chosen. */
  private readonly growing = new Set<string>();
  private readonly ordered = new Set<string>();
  private readonly stepping = new Map<string, boolean>();
  /** Whether a variable was given undefined as well as null, which was not known. */
  isMixed = false;
  /** Objects whose constructor is running. */
  readonly making = new WeakSet<object>();
  usesRandom = false;
  /** How often functions were called by themselves so far. */
  recursions = 0;
  /** What is written down for the host. */
  notes: (Notes & { readonly sites: NoteSite[] }) | undefined;
  private block: Instruction[] = [];
  private readonly taken = new Set<string>();
  private ages = 0;
  private locals = 0;
  private count = 0;

  constructor(
    readonly name: string,
    readonly float: 'f32' | 'f64',
    readonly layout: Layout,
    /** Whether derivatives that functions are given are wanted. */
    readonly derivatives: boolean,
    /** Whether what the kernel prints and asserts is written down. */
    readonly debug: boolean,
    /** What attempts before found. */
    readonly known: Known,
  ) {}

  /** Functions and classes of the surroundings, and their texts. */
  get units(): Texts['units'] {
    return this.known.texts.units;
  }

  /** Classes of the surroundings, by their value. */
  get classes(): Texts['classes'] {
    return this.known.texts.classes;
  }

  /** Notes that a part of an array or object is assigned to which was taken to stay what it is. */
  assignedElsewhere(of: object): void {
    const made = this.made.get(of);
    if (made) this.assigned.add(made.site);
  }

  /** Notes that a variable is given one of several values of the surroundings. */
  picks(site: string, values: readonly unknown[]): void {
    this.picked.set(site, new Set([...(this.picked.get(site) ?? []), ...values]));
  }

  /** Notes that a variable that holds an object of the surroundings is given one that the kernel makes. */
  opens(site: string): void {
    this.opened.add(site);
  }

  /** Notes that a copy is written: where a method of it is called, the next attempt calls that of the object itself. */
  changesCopy(of: object): void {
    const site = this.calledOf.get(of);
    if (site === undefined) return;
    this.places.add(site);
    this.changesCopied();
  }

  /** Notes that something changes while a copy of it is held: where that may be a name for it, it is one in the next attempt. */
  changesCopied(): void {
    for (const site of this.copying) this.places.add(site);
  }

  /** Notes that an array that was made in the stretch `of` grows in another one: where only loops that count lie between, the next attempt writes them out. */
  growsWithin(of: object, stretch: object): void {
    const sites: string[] = [];
    for (let at = stretch; at !== of;) {
      const loop = this.counted.get(at);
      if (!loop) return;
      if (loop.site !== undefined) sites.push(loop.site);
      at = loop.around;
    }
    for (const site of sites) this.growing.add(site);
  }

  /** Notes that what a loop counts by must be known when the kernel is compiled: the next attempt writes it out. */
  writesOut(site: string): void {
    this.growing.add(site);
  }

  /** Notes that what a variable holds must be known when the kernel is compiled: the next attempt writes out the loops that ask for it. */
  steps(key: string): void {
    if (!this.known.stepped.has(key)) this.stepping.set(key, true);
  }

  /** Notes that it is not: the next attempt takes it as any other. */
  stepsNot(key: string): void {
    this.stepping.set(key, false);
  }

  /** Whether the next attempt takes one as any other, so that nothing that this one writes out is of use. */
  get stepsAnew(): boolean {
    return [...this.stepping.values()].includes(false);
  }

  /** Notes that an outermost loop keeps which iteration had the least or greatest: the next attempt runs it in order. */
  keepsPlace(site: string): void {
    this.ordered.add(site);
  }

  /** Notes that a variable is given what may be nothing. */
  givenNothing(slot: object, { of, promised }: Absent): void {
    const key = this.declared.get(slot);
    if (key === undefined) return;
    const before = this.optional.get(key);
    this.optional.set(key, { of, promised: promised && before?.promised !== false });
  }

  /** What the next attempt has to know, where that is more than this one knew. */
  learned(): Known | undefined {
    const { shapes, written, mixed, optional, picked, opened, places, writtenOut, inOrder, stepped } = this.known;
    const wanted = [...this.guessed].some((key) => this.found.has(key) && !shapes.has(key));
    const more = [...this.assigned].some((site) => !written.has(site));
    const nothing = [...this.optional.keys()].some((key) => !optional.has(key));
    const others = [...this.picked].some(([site, values]) => values.size > (picked.get(site)?.length ?? 0));
    const open = [...this.opened].some((site) => !opened.has(site));
    const placed = [...this.places].some((site) => !places.has(site));
    const growing = [...this.growing].some((site) => !writtenOut.has(site));
    const ordered = [...this.ordered].some((site) => !inOrder.has(site));
    const stepping = [...this.stepping].some(([key, is]) => stepped.get(key) !== is);
    return wanted || more || nothing || others || open || placed || growing || ordered || stepping || this.isMixed
      ? {
          optional: new Map([...optional, ...this.optional]),
          shapes: new Map([...[...this.found].filter(([key]) => this.guessed.has(key)), ...shapes]),
          written: new Set([...written, ...this.assigned]),
          mixed: mixed || this.isMixed,
          picked: new Map([...picked, ...[...this.picked].map(([site, values]) => [site, [...values]] as const)]),
          opened: new Set([...opened, ...this.opened]),
          places: new Set([...places, ...this.places]),
          writtenOut: new Set([...writtenOut, ...this.growing]),
          inOrder: new Set([...inOrder, ...this.ordered]),
          stepped: new Map([...stepped, ...this.stepping]),
          whole: this.known.whole,
          texts: this.known.texts,
        }
      : undefined;
  }

  emit(at: Origin, action: Action): void {
    if (++this.count > LARGEST) {
      this.report(
        at,
        'lang/too-large',
        `the kernel has more than ${LARGEST} operations once loops are unrolled and calls inlined`,
        'leave out unrolled(…), or split the kernel',
      );
      throw new TooLarge();
    }
    if (action.do === 'write' && this.isTruth(action.value)) this.truths.add(action.local);
    if (action.do === 'read' && this.truths.has(action.local)) this.truths.add(action.to);
    const kind = action.do === 'read' && this.known.whole.get(action.local.id);
    if (kind) (kind === 'float' ? this.rounded : this.wholes).add(action.to);
    this.block.push({ ...action, at });
  }

  /** Whether a scalar is a truth value, whatever is found of types; of others it may be found yet. */
  isTruth(s: Scalar): boolean {
    return s.is === 'literal' ? typeof s.value === 'boolean' : s.type === 'i1' || this.truths.has(s);
  }

  /** Whether a variable was given a truth value. */
  isTruthLocal(local: Local): boolean {
    return this.truths.has(local);
  }

  /** Whether what would be emitted next can never run. */
  hasLeft(): boolean {
    return leaves(this.block.slice(-1));
  }

  /** How many instructions stand before what would be emitted next. */
  emitted(): number {
    return this.block.length;
  }

  /** Whether one of those from there on may leave the block of a label. */
  mayLeave(label: Label, since: number): boolean {
    return this.block.slice(since).some((i) => exitsOf(i).has(label));
  }

  /** Adds instructions that were recorded apart. */
  append(block: Block): void {
    for (const i of block) this.block.push(i);
  }

  /** Records what `body` emits apart from what was emitted before. */
  record(body: () => void): Block {
    const outer = this.block;
    const inner: Instruction[] = [];
    this.block = inner;
    try {
      body();
    } finally {
      this.block = outer;
    }
    return inner;
  }

  /** A number that is larger than those before. */
  age(): number {
    return this.ages++;
  }

  local(name: string, cell: Cell = { name }, unset = false): Local {
    return { id: this.locals++, name, cell, ...(unset ? { unset } : {}) };
  }

  /** An operation on scalars; of literals alone its value. */
  compute(at: Origin, operator: OperatorName, ...args: readonly Scalar[]): Scalar {
    if (args.every((s) => s.is === 'literal')) {
      const known = folded(operator, args);
      if (typeof known === 'string')
        return this.refuse(at, 'lang/literal', known, 'cast one of the operands: f64(x), i64(x)');
      if (known) return known;
    }
    const within = resultInterval(operator, args);
    const to: Temp = { is: 'temp', ...(within ? { within } : {}) };
    const isChosen = operator === 'select' && args.slice(1).every((s) => this.isTruth(s));
    if (isChosen || TRUTHS.has(operator)) this.truths.add(to);
    if (operator === 'select') this.setEither(to, args.slice(1));
    const isOfWhole = args.every((s) => this.isWhole(s));
    const whole = BITS.has(operator) || ((STAYS_WHOLE.has(operator) || ROUNDING.has(operator)) && isOfWhole);
    if ((ROUNDING.has(operator) && !isOfWhole) || (whole && !BITS.has(operator) && args.some((s) => this.isRounded(s))))
      this.rounded.add(to);
    else if (whole) this.wholes.add(to);
    this.emit(at, { do: 'compute', to, operator, args });
    return to;
  }

  /** Whether a scalar is a whole number that came of `Math.floor` and the like: a float, whatever is found of types. */
  isRounded(s: Scalar): boolean {
    return this.rounded.has(s);
  }

  /** One of these is a whole number where all of them are. */
  setEither(s: Scalar, of: readonly Scalar[]): void {
    if (s.is === 'literal' || !of.every((x) => this.isWhole(x))) return;
    if (of.some((x) => this.isRounded(x))) this.rounded.add(s);
    else this.wholes.add(s);
  }

  private isWhole(s: Scalar): boolean {
    if (s.is === 'literal') return isWholeNumber(s);
    return this.wholes.has(s) || this.rounded.has(s) || (s.type !== undefined && s.type !== 'i1' && isInteger(s.type));
  }

  /** The op of a word that an extension brings. */
  computeWord(at: Origin, operator: WordOperator, args: readonly Scalar[]): Scalar {
    const to: Temp = { is: 'temp' };
    this.emit(at, { do: 'compute', to, operator, args });
    return to;
  }

  cast(at: Origin, x: Scalar, type: ScalarType, within?: Interval): Scalar {
    return this.castAs(at, x, { is: 'temp', type, ...(within ? { within } : {}) });
  }

  castAs(at: Origin, x: Scalar, to: Temp & { readonly type: ScalarType }): Scalar {
    this.emit(at, { do: 'compute', to, operator: 'cast', args: [x], type: to.type });
    return to;
  }

  /** The same operation in a stated type, whatever those of its operands: bits of u32 stay u32. */
  computeAs(at: Origin, type: ScalarType, operator: OperatorName, ...args: readonly Scalar[]): Scalar {
    const to: Temp = { is: 'temp', type };
    this.emit(at, { do: 'compute', to, operator, args, type });
    return to;
  }

  /** A name for a buffer that no other has. */
  bufferName(name: string): string {
    const base = `${this.name}_${name.replace(/\W/g, '_')}`;
    let unique = base;
    for (let k = 1; this.taken.has(unique); k++) unique = `${base}_${k}`;
    this.taken.add(unique);
    return unique;
  }

  /** Whether an array of so many numbers may be memory: few stay variables, which lanes take, and so do all where derivatives are wanted. */
  isMany(length: number): boolean {
    return length > FEW && !this.derivatives;
  }

  /**
   * The constant buffer with these values: of the type of the typed array that they come from, else of the first of i32, u32, i64 and
   * u64 that holds them all, else of floats that take their precision from their use.
   */
  table(name: string, values: readonly (number | bigint)[], element: ScalarType | undefined): TableUse {
    const known = this.tables.find((t) => t.values === values);
    if (known) return known;
    const type = element ?? (values.every(isExact) ? leastType(...values) : 'f64');
    const float = type === 'f32' || (type === 'f64' && element === undefined);
    const table: TableUse = float
      ? { buffer: this.bufferName(name), type: this.float, values, wide: this.bufferName(`${name}_f64`) }
      : { buffer: this.bufferName(name), type, values, ...(element === undefined && { untyped: true as const }) };
    this.tables.push(table);
    return table;
  }

  report(at: Origin, code: string, message: string, remedy: string): void {
    const d = diagnosticAt(at, 'error', code, message, remedy);
    const same = (o: Diagnostic): boolean =>
      o.code === code && o.loc?.file === d.loc?.file && o.loc?.line === d.loc?.line && o.loc?.column === d.loc?.column;
    if (!this.diagnostics.some(same)) this.diagnostics.push(d);
  }

  refuse(at: Origin, code: string, message: string, remedy: string): never {
    this.report(at, code, message, remedy);
    throw new Refused();
  }
}

/** Thrown through all statements: nothing more is looked at. */
export class TooLarge extends Error {}

const LARGEST = 200_000;

const TRUTHS: ReadonlySet<OperatorName> = new Set(['lt', 'le', 'gt', 'ge', 'eq', 'ne', 'and', 'or', 'not', 'truth']);

const BITS: ReadonlySet<OperatorName> = new Set(['bitand', 'bitor', 'bitxor', 'bitnot', 'shl', 'shr', 'ushr']);

const isExact = (x: number | bigint): boolean => typeof x === 'bigint' || Number.isSafeInteger(x);

/** To look at more than so many variables takes longer than an access to memory. */
const FEW = 8;
