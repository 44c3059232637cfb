import * as E from 'fp-ts/lib/Either.js';
import {
  buildKernel,
  declareBuffer,
  fail,
  makeModule,
  pass,
  type Buffer,
  type Builder,
  type Diagnostics,
  type Module,
  type Value,
  checkOptions,
  option,
} from '@filigree/ir';
import { linearValue, type IndexType } from '../../trace/code/loops.js';
import { emitGroups, placeGroups, type PlacedGroup } from '../../trace/code/piece-loops.js';
import { Tables } from '../../trace/code/tables.js';
import { groupByShape } from '../../trace/group.js';
import { reconstruct } from '../../trace/reconstruct.js';
import { HERE, runHere } from '../evaluate/perform.js';
import { regionOf, type InterestRegion } from '../evaluate/region.js';
import { regionPlan } from '../evaluate/region-plan.js';
import type { Regions } from '../regions.js';
import { forEachRowRun, type PointSet } from '../sets/point-set.js';
import { emitStatement, type BodyContext } from './body.js';
import { emitJoin, joinEntries, placeJoin, type JoinLoops } from './joins.js';
import { emitLists, placeLists, type Lists } from './lists.js';
import { nestsOf, type Nest } from './nest.js';

/** How the iterations of a statement are enumerated. */
export type LoopForm = 'nothing' | 'pieces' | 'join' | 'lists';

/** A program over its interest regions, and how each statement is looped. */
export interface SpecializedRegions {
  /**
   * One kernel that does what the program does, over the regions alone. Its buffers are those of the program, and index
   * tables.
   */
  readonly module: Module;
  readonly statements: readonly {
    readonly name: string;
    readonly form: LoopForm;
    /** Iterations that it runs: the interest region, and those that write zero over something. */
    readonly iterations: number;
    /** Loop nests, where they are pieces. */
    readonly pieces?: number;
  }[];
  /** Bytes of index tables. */
  readonly indexBytes: number;
}

/** Which loop forms may be used. */
export interface SpecializeRegionsOptions {
  /** The loop forms to choose from; default all. Lists are always allowed. */
  readonly forms?: readonly LoopForm[];
}

/**
 * The program over its interest regions. Statements that depend on one another in a cycle share their outer
 * loops; all others get loops of their own. Every statement runs over exactly the iterations that compute something
 * other than zero, or that write zero over something else: as affine pieces, as a join of compressed rows, or as
 * compressed lists, whichever costs least. Outputs and temporaries begin as zeros. Sums may be taken in another order.
 * Fails with `equations/too-large` or `equations/name`.
 */
export const specializeRegions = (
  regions: Regions,
  options?: SpecializeRegionsOptions,
): E.Either<Diagnostics, SpecializedRegions> =>
  pass('specialize-regions', (r: Regions) => {
    const forms = option.list(option.choice('nothing', 'pieces', 'join', 'lists'));
    return new Specializer(r, checkOptions<SpecializeRegionsOptions>('specializeRegions', options, { forms })).run();
  }).run(regions);

type Placed =
  | { readonly form: 'nothing' }
  | { readonly form: 'pieces'; readonly groups: readonly PlacedGroup[]; readonly pieces: number }
  | { readonly form: 'join'; readonly join: JoinLoops }
  | { readonly form: 'lists'; readonly lists: Lists };

class Specializer {
  private readonly tables = new Tables();
  private readonly placed = new Map<number, Placed>();
  private readonly iterations = new Map<number, number>();

  constructor(
    private readonly regions: Regions,
    private readonly options: SpecializeRegionsOptions,
  ) {}

  run(): SpecializedRegions {
    const { solved } = this.regions;
    const { program, recurrences, module } = solved;
    const nests = nestsOf(program, (k) => recurrences.equations[k].accumulates !== undefined);
    for (const n of nests) this.place(n);
    const used = module.buffers.filter((b) => program.arrays.some((a) => a.name === b.name));
    const carried = program.arrays
      .filter((a) => a.role === 'carried')
      .map((a): Buffer =>
        declareBuffer(
          a.name,
          a.type,
          a.shape.reduce((n, x) => n * x, 1),
          'temp',
        ),
      );
    const tables = this.tables.buffers();
    const buffers = [
      ...used.map((b): Buffer => (b.role === 'scratch' ? declareBuffer(b.name, b.type, b.length, 'temp') : b)),
      ...carried,
    ];
    for (const b of buffers)
      if (tables.some((t) => t.name === b.name))
        fail('equations/name', `the buffer @${b.name} has the name of a table`, { remedy: 'rename it' });
    const type: IndexType = [...buffers, ...tables].some((b) => b.length >= 2 ** 31) ? 'i64' : 'i32';
    const params = module.kernels.flatMap((k) => k.params.filter((p) => p.type === 'f32' || p.type === 'f64'));
    const kernel = buildKernel(
      module.name,
      Object.fromEntries(params.map((p) => [p.hint ?? `p${p.id}`, p.type as 'f64'])),
      (b, parameters) => {
        const context: BodyContext = { arrays: new Map(program.arrays.map((a) => [a.name, a])), parameters, type };
        for (const x of buffers) if (x.role === 'output' || x.role === 'temp') zeros(b, x, type);
        this.emit(b, context, nests, []);
      },
      [...buffers, ...tables],
    );
    return {
      module: makeModule(module.name, [...buffers, ...tables], [kernel]),
      statements: program.statements.map((s, k) => {
        const p = this.placed.get(k)!;
        return {
          name: s.name,
          form: p.form,
          iterations: this.iterations.get(k)!,
          ...(p.form === 'pieces' ? { pieces: p.pieces } : {}),
        };
      }),
      indexBytes: this.tables.bytes,
    };
  }

  private place(n: Nest): void {
    if (n.kind === 'loop') {
      for (const inner of n.body) this.place(inner);
      return;
    }
    const k = n.statement;
    const region = this.executed(k);
    this.iterations.set(k, region.count);
    this.placed.set(k, region.count === 0 ? { form: 'nothing' } : this.choose(n, region));
  }

  /** Where a statement runs: its interest region, and where what it overwrites is not zero. */
  private executed(k: number): InterestRegion {
    const { solved, evaluation, statements } = this.regions;
    const equation = solved.sparsity[k];
    if (equation.recurrence.accumulates !== undefined || equation.before.length === 0) return statements[k];
    const terms = [...equation.interest, ...equation.before];
    return runHere(regionOf(regionPlan(equation, terms, k, evaluation.variables), evaluation, HERE));
  }

  private choose(n: Nest & { kind: 'statement' }, region: InterestRegion): Placed {
    const allowed = (form: LoopForm): boolean => this.options.forms?.includes(form) ?? true;
    const whole = n.depth === 0 && n.free;
    const joins = region.joins();
    const [join] = joins;
    const entries = whole && joins.length === 1 && allowed('join') ? joinEntries(join) : undefined;
    /* A list has an entry for each run, and a run for about each iteration of a sparse region. */
    if (entries !== undefined && entries < region.count / 2)
      return { form: 'join', join: placeJoin(join, this.tables) };
    if (region.count > MOST_LISTED && region.box.size > 2 ** 33)
      fail(
        'equations/too-large',
        `the region of ${this.regions.solved.program.statements[n.statement].name} has ${region.count} iterations`,
        {
          remedy:
            'specialise for a sparser input, or split the statement so that each product is a statement of its own',
        },
      );
    const set = region.points();
    if (whole && allowed('pieces')) {
      const groups = piecesOf(set, region.iterators.length);
      if (groups !== undefined)
        return {
          form: 'pieces',
          groups: placeGroups(groups, this.tables),
          pieces: groups.reduce((m, g) => m + g.members.length, 0),
        };
    }
    return { form: 'lists', lists: placeLists(set, n.depth, this.tables) };
  }

  private emit(b: Builder, c: BodyContext, nests: readonly Nest[], outer: readonly Value[]): void {
    const number = (n: number): Value => b.constant(c.type === 'i64' ? BigInt(n) : n, c.type);
    for (const n of nests) {
      if (n.kind === 'loop') {
        b.for(number(n.min), number(n.max + 1), number(1), {}, [], (x) => this.emit(b, c, n.body, [...outer, x]));
        continue;
      }
      const statement = this.regions.solved.program.statements[n.statement];
      const placed = this.placed.get(n.statement)!;
      const point = (at: readonly Value[]): void => emitStatement(b, c, statement, at);
      if (placed.form === 'lists') emitLists(b, placed.lists, outer, c.type, n.simd, point);
      else if (placed.form === 'join') emitJoin(b, placed.join, c.type, n.simd, point);
      else if (placed.form === 'pieces')
        emitGroups(b, placed.groups, c.type, {
          point: (streams) => point(streams.map((x) => linearValue(b, x, c.type))),
          innermost: ({ lower, end, one, streams }) => {
            b.for(lower, end, one, n.simd ? { simd: true } : {}, [], (x) =>
              point(streams(x).map((s) => linearValue(b, s, c.type))),
            );
            return true;
          },
        });
    }
  }
}

/** Iterations that are listed one by one at most, where their box does not fit in bits. */
const MOST_LISTED = 2 ** 27;

const zeros = (b: Builder, { name, type, length }: Buffer, index: IndexType): void => {
  const number = (n: number): Value => b.constant(index === 'i64' ? BigInt(n) : n, index);
  const zero = b.constant(type === 'i1' ? false : type === 'i64' || type === 'u64' ? 0n : 0, type);
  b.for(number(0), number(length), number(1), { simd: true }, [], (i) => b.store(name, zero, i));
};

/** The pieces of a set where they are few enough to take less than its lists. */
const piecesOf = (set: PointSet, dims: number): ReturnType<typeof groupByShape> | undefined => {
  let runs = 0;
  forEachRowRun(set, () => void runs++);
  if (dims === 0 || set.count > MOST_TRACED) return undefined;
  const streams = Array.from({ length: dims }, () => new Float64Array(set.count));
  const { strides, lower } = set.box;
  let n = 0;
  forEachRowRun(set, (start, end) => {
    for (let c = start; c < end; c++, n++) {
      let rest = c;
      for (let d = 0; d < dims; d++) {
        const v = Math.floor(rest / strides[d]);
        rest -= v * strides[d];
        streams[d][n] = v + lower[d];
      }
    }
  });
  const most = Math.max(1, Math.min(MOST_PIECES, Math.floor(runs / 16)));
  const found = reconstruct(streams, { maxDimensions: dims + 1, maxPieces: most, beam: 2 });
  if (E.isLeft(found) || !found.right.complete) return undefined;
  const groups = groupByShape(found.right.pieces);
  return groups.length <= MOST_SHAPES ? groups : undefined;
};

const MOST_TRACED = 2 ** 19;
const MOST_PIECES = 512;
/** Loop nests of pieces: each is code of its own. */
const MOST_SHAPES = 24;
