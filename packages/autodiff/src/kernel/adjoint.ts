import {
  checkOptions,
  controlBy,
  coreDialects,
  derivative,
  fail,
  opTable,
  option,
  walk,
  type Buffer,
  type Dialect,
  type Kernel,
  type Module,
  type OptionSpec,
  type OpTable,
} from '@filigree/ir';
import { canonicalize, cse, dce, storeForwarding, unroll } from '@filigree/opt';
import { refuseCertainRaces } from './access/certain.js';
import { storesApart } from './apart.js';
import { encodedWith, fieldDialect, layoutOf, valueName, type Formats, type Layout } from '@filigree/sparse/fields';
import { derivatives } from '../table/derivatives.js';
import type { DerivativeTable } from '../table/derivative.js';
import { accessesOf, type Accesses } from './elements/accesses.js';
import { activeValues } from './values/activity.js';
import { inOrder, reversesInAnyOrder } from './gather/any-order.js';
import { adjointBuffers } from './fields/adjoint-buffers.js';
import { boundedLoops } from './indices/bounded-loops.js';
import { clearedBy } from './elements/cleared.js';
import { forgettingCleared } from './reverse/cleared.js';
import { draftAdjoint, type Draft, type Overflow, type Remembered, type Setting } from './reverse/draft.js';
import { elementOps, type ElementOpOf } from './elements/element-ops.js';
import { gatherStencils } from './gather/gather.js';
import { kept as keptValues, loadKept } from './gather/kept-apart.js';
import { influenceOf } from './reverse/influence.js';
import { loopFacts } from './indices/loop-facts.js';
import { holdInValues, type Holding, type Settled } from './keep/hold.js';
import { integerForms } from './indices/integer-forms.js';
import { keptReads, roomForReads, type KeptReads } from './keep/kept-reads.js';
import { isLost, lost, missedIn, refuseLost } from './keep/lost.js';
import { madeByLoops } from './values/made-by-loops.js';
import type { Needs } from './keep/needs.js';
import { alsoKeeping, lookingUp, NO_PLACES, type Places } from './keep/places.js';
import { orderedChoices } from './ordered.js';
import { needsOf, overwrittenBy, refuseRunningExtrema } from './keep/overwrites.js';
import { runPasses } from './run-passes.js';
import { settledPlaces } from './elements/settled-places.js';
import { lastStores, standings, type StandingOf } from './elements/standing.js';
import { storedValues } from './keep/stored-values.js';
import { steepValues } from './values/steep.js';
import { unreachedValues } from './values/unreached.js';
import { settingSums, type SettingSums } from './fields/setting-sums.js';
import { sumByElement } from './gather/sum-by-element.js';
import { numberLoops } from './keep/open-loops.js';
import { ownedBy } from './elements/own.js';
import { refuseUnknownOps } from './values/unknown-ops.js';

/** What a kernel is differentiated by. */
export interface AdjointOptions {
  /** The scalar fields that are differentiated, each with the field of its adjoint, which lies where the primal lies. */
  readonly adjoints: Readonly<Record<string, string>>;
  /** Dialects of the module's ops beside those of the core and `field`. */
  readonly dialects?: readonly Dialect[];
  /** Formats that fields of the module are stored in. */
  readonly formats?: Formats;
  /** A table to use instead of `derivatives`, for ops of extensions: `{ ...derivatives, 'my.sinc': rule }`. */
  readonly table?: DerivativeTable;
  /**
   * Iterations that there is room for in a loop whose number of iterations is not known, and whose states the derivative needs; 65,536. Of memory it takes
   * the square root.
   */
  readonly iterations?: number;
  /** Whether elements of a box gather what their neighbours would add to them, see `gatherStencils`; default true. */
  readonly gather?: boolean;
  /** Fields in which the kernel keeps where its appends have put something, see `keepingPlaces`. */
  readonly places?: Places;
}

/** An adjoint kernel, and what it gives. */
export interface Adjoint {
  /** It takes what its primal takes, and where `unwanted` has groups of fields one more: a number with a bit for each group, the first in the lowest. */
  readonly kernel: Kernel;
  /**
   * Fields that may have adjoints of 0 because nothing that is wanted follows from them: where the bit of a group is set, what is computed for it alone is
   * left out, which might else hand on what is no number.
   */
  readonly unwanted: readonly (readonly string[])[];
  /** What may be launched in its place, where that is the first to touch some adjoints: nobody need set these to zero before. */
  readonly first?: SettingSums;
  /** Its buffers: those of the primal, and its own. */
  readonly buffers: readonly Buffer[];
  /** Buffers of one element with the derivatives by scalar arguments of a launch, by the number of the parameter. */
  readonly parameters: ReadonlyMap<number, string>;
  /** Buffers with the derivatives by array arguments of a launch, by the buffer of the array. */
  readonly arrays: ReadonlyMap<string, string>;
  /** Where it says that a loop had more iterations than there was room for: what it computed then is worth nothing. */
  readonly overflow?: Overflow;
  /** The fields that the kernel's results depend on, of those that are differentiated, and those that it gives such results. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** What it needs as the primal left it, and what the primal writes. */
  readonly needs: Needs;
}

/**
 * The adjoint of a kernel (thesis §3.3): it reads what the primal read, and adds to the adjoint of each element it read what that
 * element contributed to the adjoints of those it wrote. Adjoints of elements that it overwrote become zero. Branches stay
 * branches, parallel loops stay parallel, serial loops run backwards; nothing is activated.
 *
 * Primal fields hold what they held after the launch. Errors: `adjoint/no-rule`, `adjoint/no-adjoint`, `adjoint/old-value`,
 * `adjoint/lost`, `adjoint/overwritten`, `adjoint/extremum`, `adjoint/written-twice`, `adjoint/unfinished`, `adjoint/unknown-kernel`.
 *
 * @param module with its layout, on which both lie; its kernel is on fields
 */
export const adjoint = (module: Module, name: string, given: AdjointOptions): Adjoint => {
  const {
    adjoints,
    dialects: own = [],
    formats,
    table: rows = derivatives,
    iterations = ITERATIONS,
    gather = true,
    places: appended = NO_PLACES,
  } = checkOptions('adjoint', given, adjointSpec);
  const layout = layoutOf(module.layout ?? { branches: [] }, formats);
  const source =
    module.kernels.find((k) => k.name === name) ??
    fail('adjoint/unknown-kernel', `there is no kernel '${name}' to differentiate`);
  const dialects = [...coreDialects, fieldDialect(layout), derivative, lost, keptValues, ...own];
  const table = opTable(dialects);
  /* Of equal loads each would become an update of memory. */
  const shared = runPasses(
    { ...module, kernels: [storesApart(boundedLoops(lookingUp(source, appended, dialects), table, layout))] },
    [storeForwarding({ dialects }), cse({ dialects: orderedChoices(dialects, rows) })],
  ).kernels[0];

  const controlOf = controlBy(table);
  const ownBuffers = adjointBuffers(module, shared);
  const elementOf = elementOps(layout, adjoints, ownBuffers);
  const cleared = clearedBy(layout, table, elementOf, new Set(Object.values(adjoints)));
  const places = new Set([
    ...Object.keys(adjoints).map((f) => valueName(layout.nodes[layout.fields.get(f)!.path.at(-1)!])),
    ...ownBuffers.keys(),
  ]);
  refuseUnknownOps(shared, table, rows, places, 'adjoint');
  const found = loopFacts(shared, table, controlOf);
  refuseCertainRaces(shared, layout, elementOf, controlOf, found.constantOf);
  const holding = (rounded: boolean): Holding =>
    holdInValues({
      kernel: shared,
      layout,
      table,
      controlOf,
      elementOf,
      ownedIn: ownedBy(elementOf, found.constants, integerForms(shared, layout)),
      facts: found,
      rounded,
    });
  const { kernel: held, settled } = holding(false);
  const read = (primal: Kernel): Read => {
    const facts = loopFacts(primal, table, controlOf);
    const accesses = accessesOf(primal, layout, elementOf, cleared);
    const ownedIn = ownedBy(elementOf, facts.constants, accesses.forms);
    const standingOf = standings(accesses, controlOf, facts.constantOf, ownedIn);
    const dependent = activeValues(primal, elementOf, controlOf, rows, 'adjoint');
    const influence = influenceOf(primal, table, elementOf, controlOf, rows, dependent);
    /* Arguments are asked for by the host. */
    const influential = new Set([...influence.of.keys(), ...primal.params.map((p) => p.id)]);
    return {
      accesses,
      standingOf,
      primal,
      table,
      controlOf,
      elementOf,
      ownBuffers,
      derivatives: rows,
      active: new Set([...dependent].filter((v) => influential.has(v))),
      influence,
      /* Of what fields hold it is assumed that it is a number. */
      steep: steepValues(primal, rows, facts, (op) => elementOf(op) !== undefined),
      unreached: unreachedValues(primal, facts, elementOf, controlOf, rows),
      places,
      facts,
      ownedIn,
      forgetCleared: forgettingCleared(layout, adjoints),
      iterations,
      appended,
      anyOrder: reversesInAnyOrder(primal, layout, table),
    };
  };
  /* Histories are made for what is found to be missing without them; whatever they need in turn may be missing then. */
  const drafted = (of: Read, ends: ReadonlyMap<number, Settled>, keptReads?: KeptReads): Drafted => {
    let remembered: Remembered = { loops: new Set(), reads: new Set() };
    for (let kept: ReadonlySet<string> = keptReads?.fields ?? new Set(); ;) {
      const overwritten = overwrittenBy(of.standingOf, ends, kept, keptReads);
      const { draft, buffers, ...made } = draftAdjoint(module.buffers, { ...of, overwritten, keptReads }, remembered);
      const whole = runPasses({ ...module, buffers: [...module.buffers, ...buffers], kernels: [draft] }, [
        cse({ dialects }),
        dce({ dialects }),
      ]);
      const missed = missedIn(whole.kernels[0]);
      const fields = [...missed.fields].flatMap((f) => [f, ...encodedWith(layout, f)]);
      const loops = new Set([...remembered.loops, ...missed.loops]);
      const reads = new Set([...remembered.reads, ...missed.reads]);
      const isNew =
        loops.size > remembered.loops.size || reads.size > remembered.reads.size || fields.some((f) => !kept.has(f));
      if (!isNew || keptReads?.fits(reads) === false) return { of, whole, made, kept };
      remembered = { loops, reads };
      kept = new Set([...kept, ...fields]);
    }
  };
  /* What is computed from what is not there any more may have been stored: then it is read there. Others need not have it, since whoever overwrites it would have to keep it; but what loops would compute again. */
  const stored = ({ primal, accesses, facts, ownedIn }: Read): ReadonlyMap<number, Settled> =>
    storedValues(primal, layout, accesses.forms, lastStores(accesses, controlOf, facts.constantOf, ownedIn));
  const asItIs = read(held);
  const byLoops = madeByLoops(held, controlOf);
  const addedUp = byLoops.size === 0 ? [] : [...stored(asItIs)].filter(([v]) => byLoops.has(v));
  const first = drafted(asItIs, new Map([...addedUp, ...settled]));
  const { of, whole, made, kept } =
    firstWhole([
      () => first,
      () => drafted(asItIs, new Map([...stored(asItIs), ...settled])),
      () => {
        const numbered = numberLoops(held, table, controlOf, asItIs.accesses, roomForReads(layout, asItIs.accesses));
        const of = numbered ? read(numbered.kernel) : asItIs;
        const kept = keptReads({ ...of, kernel: of.primal, constantOf: of.facts.constantOf, layout, numbered });
        return kept && drafted(of, new Map([...stored(of), ...settled]), kept);
      },
      /* To round again what is stored in formats costs more than to read it. */
      () => {
        const { kernel, settled } = holding(true);
        if (kernel === held) return undefined;
        const of = read(kernel);
        return drafted(of, new Map([...stored(of), ...settled]));
      },
    ]) ?? first;
  const { primal, accesses } = of;
  const [scattered] = whole.kernels;
  refuseLost(name, scattered, 'adjoint');
  refuseRunningExtrema(primal, accesses, layout, elementOf, kept);
  const taken = new Set(module.buffers.map((x) => x.name));
  const turned = gather ? withLoads(gathered(whole, dialects, layout), table) : whole;
  const summed = gather ? summedByElement(turned, dialects, layout) : undefined;
  const { kernels: [last], buffers: all } = summed ?? turned; // prettier-ignore
  const ordered = { ...last, body: inOrder(last.body) };
  const simple =
    last === scattered
      ? ordered
      : runPasses({ ...whole, buffers: all, kernels: [ordered] }, [cse({ dialects }), dce({ dialects })]).kernels[0];
  const setting = settingSums(simple, layout, Object.values(adjoints));
  return {
    kernel: simple,
    ...(setting && { first: setting }),
    buffers: all.filter((x) => !taken.has(x.name)),
    ...made,
    needs: alsoKeeping(
      needsOf(
        accesses,
        accessesOf(scattered, layout, elementOf, cleared, accesses.keys),
        elementOf,
        cleared,
        kept,
        settledPlaces(primal.body, elementOf),
      ),
      source,
      appended,
    ),
    ...flowOf(primal, elementOf, of.active),
  };
};

/** A kernel, and what is known of it before it is reversed. */
interface Read extends Omit<Setting, 'overwritten' | 'keptReads'> {
  readonly accesses: Accesses;
  readonly standingOf: StandingOf;
}

/** An adjoint before sums are gathered. */
interface Drafted {
  readonly of: Read;
  readonly whole: Module;
  readonly made: Omit<Draft, 'draft' | 'buffers'>;
  /** The fields that it reads as they were before the launch. */
  readonly kept: ReadonlySet<string>;
}

/** What is made first of some without what is lost. */
const firstWhole = (ways: readonly (() => Drafted | undefined)[]): Drafted | undefined => {
  for (const make of ways) {
    const made = make();
    if (made && !isLost(made.whole.kernels[0])) return made;
  }
  return undefined;
};

/** A module with sums gathered; short loops, as those over the taps of a filter, are written out where that makes sums into neighbours of them. */
const gathered = (module: Module, dialects: readonly Dialect[], layout: Layout): Module => {
  const table = opTable(dialects);
  const gather = (kernel: Kernel, buffers: readonly Buffer[]): Module => {
    const made = gatherStencils(kernel, table, layout, buffers);
    return { ...module, buffers: [...buffers, ...made.buffers], kernels: [made.kernel] };
  };
  const turned = gather(module.kernels[0], module.buffers);
  let scatters = false;
  walk(turned.kernels[0].body, ({ name }) => (scatters ||= name === 'field.atomic'));
  if (!scatters) return turned;
  const [flat] = runPasses(turned, [
    unroll({ dialects, maxTrips: MOST_TAPS, maxOps: MOST_WRITTEN_OUT }),
    canonicalize({ dialects }),
    cse({ dialects }),
  ]).kernels;
  const again = gather(flat, turned.buffers);
  return again.kernels[0] === flat ? turned : again;
};

const withLoads = (module: Module, table: OpTable): Module => ({
  ...module,
  kernels: module.kernels.map((k) => loadKept(k, table, module.buffers)),
});

const MOST_TAPS = 8;
const MOST_WRITTEN_OUT = 512;

/** Where sums of a kernel get nests of their own, the module with these; what loops hand on as it is is known before. */
const summedByElement = (module: Module, dialects: readonly Dialect[], layout: Layout): Module | undefined => {
  const simple = runPasses(module, [canonicalize({ dialects }), cse({ dialects })]);
  const [kernel] = simple.kernels;
  const summed = sumByElement(kernel, opTable(dialects), layout, simple.buffers);
  return summed.kernel === kernel
    ? undefined
    : { ...simple, buffers: [...simple.buffers, ...summed.buffers], kernels: [summed.kernel] };
};

const adjointSpec: OptionSpec<AdjointOptions> = {
  adjoints: option.record(option.text),
  dialects: option.array('a list of dialects'),
  formats: option.anything,
  table: option.anything,
  iterations: option.number(1),
  gather: option.truth,
  places: option.anything,
};

const ITERATIONS = 65_536;

/** Which fields influence which: those read, and those written with what depends on them. */
const flowOf = (
  { body }: Kernel,
  elementOf: ElementOpOf,
  active: ReadonlySet<number>,
): Pick<Adjoint, 'reads' | 'writes'> => {
  const [reads, writes] = [new Set<string>(), new Set<string>()];
  walk(body, (op) => {
    const element = elementOf(op);
    if (!element?.adjoint || !element.lasting) return;
    if (!element.value) reads.add(String(op.attrs.field));
    else if (active.has(element.value.id)) writes.add(String(op.attrs.field));
  });
  return { reads: [...reads], writes: [...writes] };
};
