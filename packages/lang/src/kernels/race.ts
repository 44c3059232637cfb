import type { Diagnostic } from '@filigree/ir';
import { blocksOf, type Block, type Instruction, type Local, type Parallel, type Place } from './code/code.js';
import { diagnosticAt, type Origin } from './code/origin.js';
import { operatorName } from './code/operators.js';
import type { Scalar, Temp } from './code/scalar.js';
import { holderOf, Neighbours } from './race-neighbours.js';

/**
 * Warnings about writes in parallel loops whose outcome may depend on the order of iterations: a plain store to an element
 * that does not follow from all variables of the loop, so that several iterations write it; a sum written as a load and a
 * store (`u[c] = u[c] + 1`) of an element that other iterations may name as well, or an atomic addition of what follows from it (`u[c] += 0.1 * u[c]`); and a load of what another iteration
 * writes, as in `u[i] = u[i - 1] + 1`. What cannot be told is not reported.
 */
export const raceWarnings = (code: Block): readonly Diagnostic[] =>
  code.flatMap((i) => (i.do === 'parallel' ? warningsOf(i) : blocksOf(i).flatMap(raceWarnings)));

/** What a scalar in a parallel loop depends on. */
interface Dependence {
  readonly variables: ReadonlySet<Temp>;
  /** Made of loop variables by sums and differences alone, so that different iterations have different values. */
  readonly affine: boolean;
  /** Elements that went into it. */
  readonly loads: ReadonlySet<string>;
  /** Of one loop variable alone: its quotient, or what is left of it, by what is the same in all iterations; or both side by side, as `2 * (t - t % h) + t % h`, which tell iterations apart. */
  readonly part?: 'quotient' | 'rest' | 'both' | undefined;
}

const constant: Dependence = { variables: new Set(), affine: true, loads: new Set() };

const warningsOf = (loop: Parallel): readonly Diagnostic[] => {
  if (!loop.variables.some(moves)) return [];
  const { found, wantsLoads } = analysed(loop, false);
  return wantsLoads ? analysed(loop, true).found : found;
};

/** Whether a loop variable has several values: of `range(1)` it has one. */
const moves = ({ within }: Temp): boolean => within === undefined || within[0] < within[1];

const analysed = (loop: Parallel, loads: boolean): { found: readonly Diagnostic[]; wantsLoads: boolean } => {
  const found = new Map<string, Diagnostic>();
  const warn = (at: Origin, message: string, remedy: string): void => {
    const d = diagnosticAt(at, 'warning', 'lang/race', message, remedy);
    found.set(`${d.loc?.file}:${d.loc?.line}:${d.loc?.column}`, d);
  };
  const analysis = new Analysis(loop, warn, loads);
  analysis.block(loop.body, new Set());
  if (analysis.cameRound) {
    found.clear();
    analysis.block(loop.body, new Set());
  }
  for (const { name, at } of analysis.neighbours.found())
    warn(
      at,
      `an iteration reads an element of ${name.startsWith('@') ? 'the array' : `field '${name}'`} that another one writes, and they run at once`,
      'write into another field, or loop in order: serially(…)',
    );
  return { found: [...found.values()], wantsLoads: analysis.wantsLoads };
};

class Analysis {
  /** For some stores, only the elements that went into the value can tell. */
  wantsLoads = false;
  /** Whether more became known of a local after it was read, as where values come round in the loops within. */
  cameRound = false;
  readonly neighbours: Neighbours;
  /** Loop variables that tell iterations apart. */
  private readonly variables: readonly Temp[];
  private readonly temps = new Map<Temp, Dependence>();
  private readonly locals = new Map<Local, Dependence>();
  private readonly wereRead = new Set<Local>();
  /** How a temp was computed, in terms of the numbers of its operands. */
  private readonly origins = new Map<Temp, string>();
  private readonly numbers = new Map<string, number>();
  private readonly serials = new Map<Temp, number>();

  constructor(
    loop: Parallel,
    private readonly warn: (at: Origin, message: string, remedy: string) => void,
    /** Whether to follow what elements go into a value, which takes a while. */
    private readonly loads: boolean,
  ) {
    this.variables = loop.variables.filter(moves);
    for (const v of loop.variables)
      this.temps.set(v, moves(v) ? { variables: new Set([v]), affine: true, loads: new Set() } : constant);
    this.neighbours = new Neighbours(loop, (s) => this.temps.has(s as Temp) && this.of(s).variables.size === 0);
  }

  /** `guards`: variables that the conditions around compare, which single out iterations. */
  block(code: Block, guards: ReadonlySet<Temp>): void {
    for (const i of code) this.instruction(i, guards);
  }

  private instruction(i: Instruction, guards: ReadonlySet<Temp>): void {
    switch (i.do) {
      case 'read':
        this.wereRead.add(i.local);
        return void this.temps.set(i.to, this.locals.get(i.local) ?? constant);
      case 'write': {
        const before = this.locals.get(i.local);
        const value = this.of(i.value);
        const now = before ? union(before, value, true) : value;
        this.cameRound ||= now !== before && this.wereRead.has(i.local);
        return void this.locals.set(i.local, now);
      }
      case 'compute':
        if (this.loads)
          this.origins.set(
            i.to,
            `${operatorName(i.operator)}${i.type ?? ''}(${i.args.map((s) => this.number(s)).join()})`,
          );
        this.neighbours.computed(i.to, operatorName(i.operator), i.args);
        return void this.temps.set(i.to, this.computed(operatorName(i.operator), i.args));
      case 'load':
        this.neighbours.load(i.place, i.at);
        if (this.loads) this.origins.set(i.to, this.key(i.place));
        return void this.temps.set(i.to, this.loaded(i.place));
      case 'atomic':
        this.neighbours.store(i.place, i.at);
        this.atomic(i.place, i.value, i.at);
        return void this.temps.set(i.to, this.everything());
      case 'structure':
        return i.to && i.op === 'append' ? void this.temps.set(i.to, this.everything()) : undefined;
      case 'given':
        return i.to.forEach((to, n) => void this.temps.set(to, this.of(i.values[n])));
      case 'assume':
        return void this.temps.set(i.to, i.distinct ? this.each() : this.of(i.x));
      case 'store':
        return i.noted ? undefined : this.store(i.place, i.value, i.at, guards);
      case 'if': {
        const inner = new Set([...guards, ...this.of(i.condition).variables]);
        return this.neighbours.branches(
          i.condition,
          () => this.block(i.then, inner),
          () => this.block(i.otherwise, inner),
        );
      }
      case 'block':
        return this.neighbours.block(i.label, () => this.block(i.body, guards));
      case 'exit':
        return this.neighbours.exit(i.label);
      default:
        for (const inner of blocksOf(i)) this.block(inner, guards);
    }
  }

  private store(place: Place, value: Scalar, at: Origin, guards: ReadonlySet<Temp>): void {
    this.neighbours.store(place, at);
    const index = this.indexOf(place);
    const missing = this.variables.filter((v) => !index.variables.has(v) && !guards.has(v));
    const name = nameOf(place);
    if (missing.length > 0)
      return this.warn(
        at,
        `iterations with different ${missing.map((v) => `\`${v.hint ?? 'i'}\``).join(', ')} write the same element of ${name}`,
        'accumulate with += or atomicMax, or use the loop variables as indices',
      );
    this.wantsLoads ||= !index.affine;
    if (!index.affine && this.of(value).loads.has(this.key(place)))
      this.warn(
        at,
        `an element of ${name} is read and written, and other iterations may do so at once`,
        'write += or -=, which are atomic; or promise that each iteration names another: permutation(i, n)',
      );
  }

  /* The addition is atomic; what is added was read before, and others may have added to it since. */
  private atomic(place: Place, value: Scalar, at: Origin): void {
    const index = this.indexOf(place);
    this.wantsLoads ||= !index.affine && !this.of(value).affine;
    if (!index.affine && this.of(value).loads.has(this.key(place)))
      this.warn(
        at,
        `an element of ${nameOf(place)} is read for what is added to it, and other iterations may add to it at once`,
        'read it from another field; or promise that each iteration names another: permutation(i, n)',
      );
  }

  private indexOf(place: Place): Dependence {
    return place.index.map((s) => this.of(s)).reduce((a, b) => union(a, b, a.affine && b.affine), constant);
  }

  private of(s: Scalar): Dependence {
    return s.is === 'literal' ? constant : (this.temps.get(s) ?? constant);
  }

  private computed(operator: string, args: readonly Scalar[]): Dependence {
    let all = constant;
    for (const s of args) all = union(all, this.of(s), true);
    const part =
      all.variables.size === 1
        ? partOf(
            operator,
            args.map((s) => this.of(s)),
          )
        : undefined;
    const affine = part === 'both' || (all.affine && (all.variables.size === 0 || affineOperators.has(operator)));
    return affine === all.affine && part === all.part ? all : { ...all, affine, part };
  }

  private loaded(place: Place): Dependence {
    const index = place.index.map((s) => this.of(s)).reduce((a, b) => union(a, b, true), constant);
    const loads = this.loads ? new Set([...index.loads, this.key(place)]) : constant.loads;
    return { variables: index.variables, affine: false, loads };
  }

  private each(): Dependence {
    return { variables: new Set(this.variables), affine: true, loads: new Set() };
  }

  private everything(): Dependence {
    return { variables: new Set(this.variables), affine: false, loads: new Set() };
  }

  /** Equal for accesses whose indices are computed alike. */
  private key(place: Place): string {
    return `${holderOf(place)}[${place.index.map((s) => this.number(s)).join()}]`;
  }

  /** A number for what is computed alike. */
  private number(s: Scalar): number {
    const text = s.is === 'literal' ? `=${String(s.value)}` : (this.origins.get(s) ?? `%${this.serial(s)}`);
    const known = this.numbers.get(text) ?? this.numbers.size;
    this.numbers.set(text, known);
    return known;
  }

  private serial(temp: Temp): number {
    const known = this.serials.get(temp) ?? this.serials.size;
    this.serials.set(temp, known);
    return known;
  }
}

const nameOf = (place: Place): string => (place.of === 'field' ? `field '${place.field.name}'` : 'the array');

/** Which part of a loop variable comes of these. */
const partOf = (operator: string, [a, b, c]: readonly Dependence[]): Dependence['part'] => {
  if (b === undefined) return keepsPart.has(operator) ? a.part : undefined;
  /* A bound or an index that was rounded, and what stands for NaN. */
  if (operator === 'select') return c.variables.size === 0 ? b.part : undefined;
  const isSame = (d: Dependence): boolean => d.variables.size === 0 && d.loads.size === 0;
  if (isSame(b)) {
    if (a.affine && a.part === undefined) return partsBy[operator];
    return a.part === 'both' || shifted.has(operator) ? keptBy(operator, a) : undefined;
  }
  if (isSame(a)) return operator === 'add' || operator === 'mul' || b.part === 'both' ? keptBy(operator, b) : undefined;
  if (operator === 'sub' && a.affine && a.part === undefined && b.part === 'rest') return 'quotient';
  const isPair = a.part !== b.part && [a, b].every(({ part }) => part === 'quotient' || part === 'rest');
  return isPair && joining.has(operator) ? 'both' : undefined;
};

const keptBy = (operator: string, { part }: Dependence): Dependence['part'] =>
  shifted.has(operator) || joining.has(operator) ? part : undefined;

const partsBy: Readonly<Record<string, Dependence['part']>> = {
  rem: 'rest',
  bitand: 'rest',
  shr: 'quotient',
  ushr: 'quotient',
  idiv: 'quotient',
  div: 'quotient',
  /* Different iterations have different values still. */
  bitxor: 'both',
};
const keepsPart: ReadonlySet<string> = new Set(['cast', 'floor', 'trunc']);
const shifted: ReadonlySet<string> = new Set(['add', 'sub', 'mul', 'shl']);
const joining: ReadonlySet<string> = new Set(['add', 'sub', 'bitor', 'bitxor']);

const affineOperators: ReadonlySet<string> = new Set(['add', 'sub', 'neg', 'cast', 'mul']);

/** Both together; one of the two where that is it. */
const union = (a: Dependence, b: Dependence, may: boolean): Dependence => {
  const variables = merged(a.variables, b.variables);
  const loads = merged(a.loads, b.loads);
  const affine = may && a.affine && b.affine;
  const is = (d: Dependence): boolean => d.variables === variables && d.loads === loads && d.affine === affine;
  return is(a) ? a : is(b) ? b : { variables, affine, loads };
};

/** The union, one of the two where that is it. */
const merged = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): ReadonlySet<T> => {
  if (a === b || b.size === 0) return a;
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  for (const x of small) if (!large.has(x)) return new Set([...a, ...b]);
  return large;
};
