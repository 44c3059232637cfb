import type { Affine } from '../../trace/piece.js';
import { evaluateAffine } from '../../trace/piece.js';
import type { SparseInputs } from '../evaluate/inputs.js';
import { initialSets } from '../evaluate/inputs.js';
import { rangesOf } from '../evaluate/query.js';
import { domainBox } from '../evaluate/variables.js';
import { readsOf, type AffineProgram, type Expr, type Place, type Read, type Statement } from '../read/program.js';
import { keepsZero } from '../recurrences/sparsity.js';
import type { Recurrences } from '../recurrences/recurrences.js';
import type { Conjunction } from '../sets/conjunction.js';
import { boxOf, type Box } from '../sets/box.js';
import { forEachRun } from '../sets/point-set.js';

/** What a run of the dense program found, iteration after iteration. */
export interface BruteForce {
  /** For each statement one byte an iteration of its box: 1 where it computed something other than zero. */
  readonly regions: readonly Uint8Array[];
  /** For each array one byte an element: 1 where it is not zero in the end. */
  readonly arrays: ReadonlyMap<string, Uint8Array>;
}

/** Iterations that a run of the dense program takes. */
export const denseIterations = (program: AffineProgram): number =>
  program.statements.reduce(
    (n, s) =>
      n +
      domainBox(
        s,
        s.iterators.map((_, d) => d),
      ).size,
    0,
  );

/**
 * Runs the dense program on truth values (true: not zero) over all its iterations in order, exactly as memory is read
 * and written. It shares nothing with the equations except the program that was read.
 */
export const bruteForce = (system: Recurrences, inputs: SparseInputs): BruteForce => {
  const run = new Run(system, inputs);
  run.go();
  return { regions: run.regions, arrays: run.memory };
};

/** A load or a statement with its place in the text. */
interface Event {
  readonly place: Place;
  readonly of: { readonly read: Read } | { readonly statement: number };
}

class Run {
  readonly memory: ReadonlyMap<string, Uint8Array>;
  readonly regions: readonly Uint8Array[];
  private readonly boxes: readonly Box[];
  private readonly arrays: ReadonlyMap<string, Box>;
  private readonly loaded = new Map<Read, boolean>();
  private readonly x: number[] = [];
  private readonly program: AffineProgram;

  constructor(
    private readonly system: Recurrences,
    inputs: SparseInputs,
  ) {
    const { program } = system;
    this.program = program;
    const initial = initialSets(program, inputs);
    this.arrays = new Map(program.arrays.map((a) => [a.name, boxOf(a.lower, a.shape)]));
    this.memory = new Map(
      program.arrays.map((a) => {
        const bytes = new Uint8Array(this.arrays.get(a.name)!.size);
        if (a.role === 'input' || a.role === 'inout' || a.role === 'const')
          forEachRun(initial.get(a.name)!, (from, to) => bytes.fill(1, from, to));
        return [a.name, bytes];
      }),
    );
    this.boxes = program.statements.map((s) =>
      domainBox(
        s,
        s.iterators.map((_, d) => d),
      ),
    );
    this.regions = this.boxes.map((b) => new Uint8Array(b.size));
  }

  go(): void {
    const reads = new Set(this.program.statements.flatMap((s) => readsOf(s.value)));
    const events: Event[] = [
      ...[...reads].map((read): Event => ({ place: read.place, of: { read } })),
      ...this.program.statements.map((s, statement): Event => ({ place: s.place, of: { statement } })),
    ];
    this.level(
      events,
      0,
      this.program.statements.map((s) => s.domain.map((set) => rangesOf(set, s.iterators.length))),
    );
  }

  private level(
    events: readonly Event[],
    depth: number,
    ranges: readonly (readonly (readonly { min: number; max: number }[] | undefined)[])[],
  ): void {
    const groups = new Map<number, Event[]>();
    for (const e of events) groups.set(e.place[depth], [...(groups.get(e.place[depth]) ?? []), e]);
    for (const at of [...groups.keys()].sort((a, b) => a - b)) {
      const group = groups.get(at)!;
      if (group[0].place.length === depth + 1) {
        for (const e of group) this.happen(e);
        continue;
      }
      /* All statements below this loop bound it. */
      let [min, max] = [Infinity, -Infinity];
      for (const e of group) {
        if (!('statement' in e.of)) continue;
        for (const r of ranges[e.of.statement]) {
          if (r === undefined) continue;
          min = Math.min(min, r[depth].min);
          max = Math.max(max, r[depth].max);
        }
      }
      for (let x = min; x <= max; x++) {
        this.x[depth] = x;
        this.level(group, depth + 1, ranges);
      }
    }
  }

  private happen({ of }: Event): void {
    if ('read' in of) {
      const at = this.element(of.read.array, of.read.subscripts);
      this.loaded.set(of.read, at >= 0 && this.memory.get(of.read.array)![at] === 1);
      return;
    }
    const s = this.program.statements[of.statement];
    if (!s.domain.some((set) => this.holds(set))) return;
    const { accumulates } = this.system.equations[of.statement];
    const value = this.truth(s.value);
    const interest = accumulates === undefined ? value : this.truth(accumulates.term);
    if (interest) this.regions[of.statement][this.iteration(s, of.statement)] = 1;
    this.memory.get(s.write.array)![this.element(s.write.array, s.write.subscripts)] = value ? 1 : 0;
  }

  private iteration(s: Statement, k: number): number {
    const { lower, strides } = this.boxes[k];
    return s.iterators.reduce((n, _, d) => n + (this.x[d] - lower[d]) * strides[d], 0);
  }

  /** The position of an element; −1 outside the array, where a load of an iteration that never happens may point. */
  private element(array: string, subscripts: readonly Affine[]): number {
    const { lower, extent, strides } = this.arrays.get(array)!;
    let at = 0;
    for (let k = 0; k < subscripts.length; k++) {
      const v = evaluateAffine(subscripts[k], this.x) - lower[k];
      if (v < 0 || v >= extent[k]) return -1;
      at += v * strides[k];
    }
    return at;
  }

  private holds(set: Conjunction): boolean {
    return set.every((f) => evaluateAffine(f, this.x) >= 0);
  }

  private truth(e: Expr): boolean {
    switch (e.kind) {
      case 'read':
        return this.loaded.get(e)!;
      case 'number':
        return e.value !== 0;
      case 'parameter':
        return true;
      case 'index':
        return evaluateAffine(e.value, this.x) !== 0;
      case 'if':
        return this.truth(e.when.some((set) => this.holds(set)) ? e.then : e.otherwise);
      case 'apply': {
        const [a, b, c] = e.args;
        switch (e.op.name) {
          case 'arith.mul':
          case 'arith.and':
            return this.truth(a) && this.truth(b);
          case 'math.fma':
            return (this.truth(a) && this.truth(b)) || this.truth(c);
          case 'arith.div':
          case 'arith.rem':
          case 'arith.shl':
          case 'arith.shr':
            return this.truth(a);
          case 'arith.select':
            return this.truth(b) || this.truth(c);
          default:
            return keepsZero(e.op, e.args) ? e.args.some((x) => x.kind !== 'number' && this.truth(x)) : true;
        }
      }
    }
  }
}
