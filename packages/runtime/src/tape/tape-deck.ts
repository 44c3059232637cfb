import { type Adjoint, type Needs, type Overflow } from '@filigree/autodiff';
import { allocateArray, DiagnosticError, error, type Scalar, type TypedArray } from '@filigree/ir';
import type { Commands, Executable } from '@filigree/backend';
import type { Shown } from '@filigree/lang/kernels';
import type { LaunchByName } from '../program/launch-by-name.js';
import { areSame } from './alike.js';
import { derivativeOf, type AdjointKernels } from './derivative-kernels.js';
import { firstsOf, NO_FIRSTS, touchedByAdjoints, type Firsts } from './firsts.js';
import { followed } from './followed.js';
import { refuseOverwrites } from './overwritten.js';
import { overwriting, overwritingAs } from './overwriting.js';
import { isSegment, type Entry, type Flat, type Launched, type Recorder, type Touched } from './recorder.js';
import { placed } from './placed.js';
import type { Saved } from './saved.js';
import { writtenOf, type Leavings, type Written } from './leavings.js';
import { blockOf, type Block, type Copier } from './segments.js';
import type { Seeds } from '../program/seeds.js';
import type { Structures } from './structure.js';

/** Launches in their order, which can be run backwards. */
export interface Tape {
  readonly entries: readonly Entry[];
  /** What steps have begun with of what is sparse, the last ones first. */
  readonly begun: readonly Begun[];
  /** Bytes that it holds. */
  readonly bytes: number;
}

interface Begun {
  readonly bytes: number;
  /** Brings it back; but cells in which launches have left other fields. */
  readonly restore: (left: ReadonlySet<string>) => void;
}

/** The derivatives of a loss by scalar arguments, summed over all launches: by kernel and name of the parameter. */
export type ByArgument = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** As `ByArgument`, by the elements of array arguments, as long as the arrays may be. */
export type ByArray = Readonly<Record<string, Readonly<Record<string, Float64Array>>>>;

/** What adjoints found beside the adjoints of fields. */
export interface Backward {
  readonly byArgument: ByArgument;
  readonly byArray: ByArray;
  /** The most bytes that were held beside those of the tape, of steps that ran again. */
  readonly bytes: number;
}

/** Records launches of a program (thesis §3.4), and runs their adjoints. */
export interface TapeDeck {
  /** The names of scalar fields, each with that of its adjoint. */
  readonly fields: Readonly<Record<string, string>>;
  /** Runs a function and records what it launches. Errors: `tape/…`. */
  readonly record: (run: () => void) => Tape;
  /** The names of the scalar fields that kernels write, or may. */
  readonly writes: AdjointKernels['writes'];
  /** The fields in which kernels keep where they have appended. */
  readonly places: AdjointKernels['places'];
  /** Sets all adjoints to zero, but for those that the adjoint of some launch of a tape is the first to touch, and sets. */
  readonly clear: (tape: Tape, loss: string) => void;
  /** Sets the adjoint of a loss to one by a launch; where it is no single number that is always there, as the host does. */
  readonly begin: (loss: string, otherwise: () => void) => void;
  readonly recorder: Recorder;
  /** Records steps, and keeps of them what a block says. */
  readonly steps: (block: Block) => void;
  /**
   * Launches the adjoints of what was recorded, the last first, but those of launches that write nothing that the loss follows from. Errors: `tape/…`, and why
   * a kernel that was launched has no adjoint.
   *
   * @param wrt the fields whose adjoints are asked for
   */
  readonly backward: (tape: Tape, loss: string, wrt: readonly string[]) => Backward;
  /** The scalar fields that depend on some of others by what was recorded. */
  readonly dependents: (tape: Tape, on: readonly string[]) => ReadonlySet<string>;
}

/**
 * @param copier copies fields
 * @param leavings takes note of what is in elements
 * @param together runs several adjoints at once, where nothing waits and nothing is looked at in between
 */
export const tapeDeck = (
  executable: Executable,
  kernels: AdjointKernels,
  recorder: Recorder,
  structures: Structures,
  launch: LaunchByName,
  seeds: Seeds,
  copier: Pick<Copier, 'save' | 'beside'>,
  leavings: (all: readonly Written[]) => Leavings,
  together?: (list: Commands) => void,
): TapeDeck => {
  const { fields, parameters, arrays: arrayNames, begin } = kernels;
  const { save: keep } = copier;
  /* What has been found of the tape whose adjoints run next, once they are cleared. */
  let firsts: Firsts = NO_FIRSTS;
  const touchedByAdjoint = touchedByAdjoints(kernels);
  const adjointOf = (kernel: string): Omit<Adjoint, 'buffers'> => derivativeOf(kernels, kernel);
  /* One without may be launched where the loss does not follow from what it writes; not where it changes which elements there are, which adjoints of others loop over. */
  const hasAdjoint = (kernel: string): boolean =>
    !Array.isArray(kernels.of.get(kernel)) || kernels.reshapes.has(kernel);
  const needsOf = (kernel: string): Needs =>
    hasAdjoint(kernel) ? adjointOf(kernel).needs : overwritingAs(kernels, kernel);
  const touched = new Map<string, Touched>();
  const touchedBy = (kernel: string): Touched => {
    const found = touched.get(kernel) ?? touchedOf(needsOf(kernel));
    touched.set(kernel, found);
    return found;
  };
  /* What is optimised is recorded again and again, mostly with the same arguments. */
  let known: Known | undefined;
  /* An adjoint of which nothing is to be read, kept, or put back. */
  const isPlain = (e: Entry): e is Launched & Flat => {
    if (!('kernel' in e) || e.kept || e.undo || e.structure || e.arrays.length > 0 || !hasAdjoint(e.kernel))
      return false;
    const made = adjointOf(e.kernel);
    return made.overflow === undefined && made.parameters.size === 0 && made.arrays.size === 0;
  };
  /* One set for all recordings, so that it is seen at once that it is the same. */
  const states = new Map<string, ReadonlySet<string>>();
  const stateOf = (state: ReadonlySet<string>): ReadonlySet<string> => {
    const key = [...state].join();
    const found = states.get(key) ?? state;
    states.set(key, found);
    return found;
  };
  let begun: readonly Begun[] = [];
  /* What lies in dense nodes is back when the adjoints of steps have run. */
  const beginOf = (state: ReadonlySet<string>): readonly Begun[] => {
    const inSparse = structures.fields.filter((f) => state.has(f));
    if (inSparse.length === 0) return [];
    const [cells, values] = [structures.around(state), keep(inSparse)];
    return [{ bytes: values.bytes, restore: (left) => (cells(left), values.restoreLast()) }];
  };
  /* What steps find in fields that they write is what they left there, or belongs to the state: those that run again leave the same. */
  const leftBy = (entries: readonly Flat[], state: ReadonlySet<string>): Leavings => {
    const all = entries.map((e) =>
      'kernel' in e
        ? { args: e.args, ...needsOf(e.kernel), reads: kernels.loads.get(e.kernel)! }
        : { args: [], ...overwriting(e.writes), reads: e.reads },
    );
    const fields = new Set(all.flatMap(({ reads }) => reads.filter((f) => !state.has(f))));
    return leavings(all.flatMap(({ args, written }) => writtenOf(written, args, fields)));
  };
  const refuse = (entries: readonly Entry[], loss: string): void => {
    const checked = known?.of === entries ? known.checked : undefined;
    if (checked?.has(loss)) return;
    const all = flat(entries);
    const runs = followed(all, loss, (kernel) => ({
      writes: kernels.writes.get(kernel)!,
      reads: () => adjointOf(kernel).reads,
      plain: kernels.plain.get(kernel)!,
    }));
    refuseOverwrites(all, runs, needsOf, kernels.shown);
    checked?.add(loss);
  };
  return {
    fields,
    writes: kernels.writes,
    places: kernels.places,
    recorder,
    steps: (block) => {
      const state = stateOf(block.state);
      begun = [...beginOf(state), ...begun];
      blockOf(
        recorder,
        seeds,
        touchedBy,
        { ...copier, structure: structures.now, leavings: leftBy },
        { ...block, state },
      );
    },
    record: (run) => {
      begun = [];
      const entries = recorder.record(run);
      const all = flat(entries);
      if (!known || !areAlike(all, known.launches)) {
        known = {
          of: entries,
          launches: all.map(alikeOf),
          repeats: false,
          whole: all === entries,
          lists: new Map(),
          firsts: new Map(),
          dependents: new Map(),
          checked: new Set(),
        };
      } else known = { ...known, of: entries, repeats: all === entries && known.whole, whole: all === entries };
      return { entries, begun, bytes: bytesOf(entries) + begun.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    clear: ({ entries }, loss) => {
      const before = known?.of === entries && known.whole ? known.firsts : undefined;
      firsts = before?.get(loss) ?? firstsOf(kernels, entries, loss, touchedByAdjoint);
      before?.set(loss, firsts);
      if (firsts.fields.size === 0) return launch(kernels.clear);
      if (kernels.clearOthers) launch(kernels.clearOthers);
      for (const [kernel, of] of kernels.clearOf) if (!of.every((f) => firsts.fields.has(f))) launch(kernel);
    },
    begin: (loss, otherwise) => (begin.has(loss) ? launch(begin.get(loss)!) : otherwise()),
    backward: ({ entries, begun }, loss, wrt) => {
      refuse(entries, loss);
      let most = 0;
      const found = firsts;
      firsts = NO_FIRSTS;
      const isFirst = (list: readonly Entry[], n: number): boolean => list === entries && found.places.has(n);
      /* Fields whose adjoints may not be zero. Those of a step of the host may be set by it. */
      const wanted = new Set([loss]);
      const want = (names: readonly string[]): void => names.forEach((f) => wanted.add(f));
      /* The launch of an adjoint; nothing where it gives nothing. What its primal overwrites, whatever that follows from, it sets to zero. */
      const reversed = (
        { kernel, args }: Launched,
        comesFirst: boolean,
      ): { kernel: string; args: readonly Scalar[] } | undefined => {
        if (!kernels.writes.get(kernel)!.some((f) => wanted.has(f))) return undefined;
        const made = adjointOf(kernel);
        /* Zero times what is infinite would be no number. */
        const bits = made.unwanted.reduce(
          (all, group, n) => (group.some((f) => wanted.has(f)) ? all : all | (1 << n)),
          0,
        );
        want(made.reads);
        const { name } = comesFirst ? made.first!.kernel : made.kernel;
        return { kernel: name, args: made.unwanted.length > 0 ? [...args, bits] : args };
      };
      /* Fields as the last launch left them. */
      const ended = new Map<string, Saved>();
      let cellsInTheEnd: (() => void) | undefined;
      const beforeCellsChange = (): void => {
        if (cellsInTheEnd) return;
        cellsInTheEnd = structures.whole();
        for (const f of structures.fields) if (!ended.has(f)) ended.set(f, keep([f]));
      };
      const sums: Record<string, Record<string, number>> = {};
      const arraySums: Record<string, Record<string, Float64Array>> = {};
      /* There may be thousands of launches with one number each: where the host sees the memory, that is no copy. */
      const valuesOf = (buffer: string): TypedArray => {
        if (executable.memory.mapped) return executable.buffers[buffer];
        const at = executable.buffer(buffer);
        return at.read(allocateArray(at.type, at.length));
      };
      const reverseLaunch = (entry: Launched & Flat, comesFirst: boolean): void => {
        const { kernel, arrays, structure, kept, state } = entry;
        for (const f of kept?.fields ?? []) if (!ended.has(f) && !state?.has(f)) ended.set(f, keep([f]));
        const runs = hasAdjoint(kernel) ? reversed(entry, comesFirst) : undefined;
        if (structure?.comesFirst) structure.restore(beforeCellsChange);
        else if (runs) structure?.check(adjointOf(kernel).needs.kept);
        kept?.before();
        if (!hasAdjoint(kernel)) return;
        const made = adjointOf(kernel);
        const seen = made.overflow !== undefined || made.parameters.size > 0 || made.arrays.size > 0;
        if (runs) launch(runs.kernel, { args: runs.args, arrays, seen });
        if (runs && made.overflow)
          refuseOverflow(kernel, made.overflow, Number(valuesOf(made.overflow.buffer)[0]), kernels.shown);
        for (const [n, buffer] of made.parameters) {
          const by = (sums[kernel] ??= {});
          const name = parameters.get(kernel)![n];
          by[name] = (by[name] ?? 0) + (runs ? Number(valuesOf(buffer)[0]) : 0);
        }
        for (const [array, buffer] of made.arrays) {
          const by = (arraySums[kernel] ??= {});
          const name = arrayNames.get(array) ?? array;
          const sum = (by[name] ??= new Float64Array(executable.buffer(buffer).length));
          if (!runs) continue;
          const values = valuesOf(buffer);
          for (let k = 0; k < sum.length; k++) sum[k] += Number(values[k]);
        }
      };
      /* What repeats has no steps that run again, so places are those of the recording itself. */
      const lists = known?.of === entries && known.repeats ? known.lists : undefined;
      /* The adjoints of launches that need no look in between, the last of which is told, are one list; how many these are. */
      const reverseMany = (list: readonly Entry[], last: number): number => {
        if (!together || lists === undefined) return 0;
        const key = `${last} ${loss} ${found.fields.size}`;
        const ready = lists.get(key);
        if (ready) {
          if (ready.commands) together(ready.commands);
          want(ready.wanted);
          return ready.count;
        }
        let first = last + 1;
        while (first > 0 && isPlain(list[first - 1])) first--;
        const all = list.slice(first, last + 1).reverse() as readonly (Launched & Flat)[];
        if (all.length < 2) return 0;
        const launches = all.flatMap((e, k) => reversed(e, isFirst(list, last - k)) ?? []);
        const commands = launches.length === 0 ? undefined : executable.commands(launches);
        lists.set(key, { commands, count: all.length, wanted: [...wanted] });
        if (commands) together(commands);
        return all.length;
      };
      const clearsAdjoints = (steps: readonly Flat[]): boolean =>
        structures.adjoints.length > 0 &&
        steps.some(
          (e) => !('kernel' in e) || kernels.writes.get(e.kernel)!.some((f) => structures.adjoints.includes(f)),
        );
      const reverse = (list: readonly Entry[]): void => {
        for (let n = list.length - 1; n >= 0; n--) {
          const many = reverseMany(list, n);
          if (many > 0) {
            n -= many - 1;
            continue;
          }
          const entry = list[n];
          if (isSegment(entry)) {
            /* Where nothing follows from what lists have in the end, their order does not matter. Steps that clear cells clear what lies in them. */
            const mixed = structures.count(structures.inLists).isZero();
            let gradients = clearsAdjoints(entry.entries) ? keep(structures.adjoints) : undefined;
            entry.structure?.restore(() => {
              beforeCellsChange();
              gradients ??= keep(structures.adjoints);
            });
            const steps = entry.again(mixed);
            /* Those by elements that steps have activated, and activate again. */
            gradients?.restoreLast();
            most = Math.max(most, bytesOf(steps));
            reverse(steps);
            continue;
          }
          if ('kernel' in entry) reverseLaunch(entry, isFirst(list, n));
          else {
            entry.backward();
            want(entry.reads);
            want(entry.writes);
          }
          entry.structure?.restore(beforeCellsChange);
          entry.undo?.restoreLast();
          if ('kernel' in entry) entry.kept?.after();
        }
      };
      reverse(entries);
      const gradients = cellsInTheEnd ? keep(structures.adjoints) : undefined;
      const whole = gradients && structures.count(wrt.map((f) => fields[f]));
      cellsInTheEnd?.();
      const isLess = whole?.isLess() === true;
      for (const fields of ended.values()) fields.restoreLast();
      const left = new Set(
        begun.length > 0
          ? flat(entries).flatMap((e) => ('kernel' in e ? kernels.writes.get(e.kernel)! : e.writes))
          : [],
      );
      for (const state of begun) state.restore(left);
      if (gradients && whole) {
        /* Into those of their cells that there are. */
        const cells = structures.whole();
        gradients.restoreLast();
        cells();
        /* What was activated on the way had no derivative to be asked for. */
        if (isLess) whole.refuseLost();
      }
      return { byArgument: sums, byArray: arraySums, bytes: most };
    },
    dependents: ({ entries }, on) => {
      const key = on.join();
      const before = known?.of === entries ? known.dependents.get(key) : undefined;
      if (before) return before;
      const reached = new Set(on);
      for (const entry of flat(entries)) {
        if ('kernel' in entry && !hasAdjoint(entry.kernel)) {
          /* Why it has none is told where the loss follows from this. */
          for (const f of kernels.writes.get(entry.kernel)!) reached.add(f);
          continue;
        }
        const { reads, writes } = 'kernel' in entry ? adjointOf(entry.kernel) : entry;
        if (reads.some((f) => reached.has(f))) for (const f of writes) reached.add(f);
      }
      if (known?.of === entries) known.dependents.set(key, reached);
      return reached;
    },
  };
};

/** What is known of a recording, and of those that launched the same. */
interface Known {
  /** What was recorded last. */
  readonly of: readonly Entry[];
  readonly launches: readonly (Alike | undefined)[];
  /** Whether all of it are launches, and none are of steps that run again. */
  readonly whole: boolean;
  /** Whether the one before it was the same launches: a list is worth making then. */
  readonly repeats: boolean;
  /** Adjoints that are launched by one call, by the place of the launch whose adjoint is the first, and the loss. */
  readonly lists: Map<string, List>;
  /** By the loss, what adjoints set that come first. */
  readonly firsts: Map<string, Firsts>;
  readonly dependents: Map<string, ReadonlySet<string>>;
  /** The losses whose derivatives need nothing that is overwritten. */
  readonly checked: Set<string>;
}

interface List {
  /** Nothing where no adjoint is wanted. */
  readonly commands: Commands | undefined;
  /** The launches that it is of. */
  readonly count: number;
  /** The fields whose adjoints may not be zero after it. */
  readonly wanted: readonly string[];
}

/** Refuses what an adjoint computed that had no room for what a loop carried. Error: `tape/history`. */
const refuseOverflow = (kernel: string, { loops }: Overflow, code: number, shown: (kernel: string) => Shown): void => {
  const loop = loops[code - 1];
  if (!loop) return;
  /* Places of appends are looked up. */
  const isAppend = loop.op.name === 'field.load';
  const message = isAppend
    ? `kernel '${kernel}' appended more often than there is room for the places, of which its derivative needs all: ${loop.most} in all, the same number for each iteration`
    : `a loop of kernel '${kernel}' ran more than ${loop.most} times, those in it counted too, and its derivative needs what it carried and read each time`;
  const remedy = isAppend
    ? 'let the loops around it count between numbers, or launch a kernel for each part of them'
    : 'bound the loop by a number, or launch a kernel for each part of it';
  throw new DiagnosticError([{ ...error('tape/history', message, { remedy }), ...placed(loop.op.loc, shown(kernel)) }]);
};

const touchedOf = ({ needed, writes, kept }: Needs): Touched => ({
  needs: [...new Set(needed.map(({ place }) => place.replace(/^field '(.*)'$/, '$1')))],
  writes,
  kept,
});

const flat = (entries: readonly Entry[]): readonly Flat[] =>
  entries.some(isSegment) ? entries.flatMap((e) => (isSegment(e) ? e.entries : [e])) : (entries as readonly Flat[]);

/** What it depends on whether a launch is overwritten that derivatives need. Of steps of the host each is a case of its own. */
type Alike = Pick<Launched, 'kernel' | 'args'> & {
  readonly kept: string;
  readonly undone: boolean;
  readonly again: boolean;
  readonly state?: ReadonlySet<string>;
};

const alikeOf = (e: Flat): Alike | undefined =>
  'kernel' in e ? { kernel: e.kernel, args: e.args, kept: keptBy(e), undone: e.undo !== undefined, again: e.again === true, ...(e.state && { state: e.state }) } : undefined; // prettier-ignore

const keptBy = ({ kept }: Launched): string => kept?.fields.join() ?? '';

const areAlike = (all: readonly Flat[], before: readonly (Alike | undefined)[]): boolean =>
  all.length === before.length &&
  all.every((x, n) => {
    const y = before[n];
    return (
      'kernel' in x &&
      x.kernel === y?.kernel &&
      keptBy(x) === y.kept &&
      (x.undo !== undefined) === y.undone &&
      (x.again === true) === y.again &&
      x.state === y.state &&
      areSame(x.args, y.args)
    );
  });

const bytesOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, e) => {
    if (isSegment(e)) return sum + e.bytes;
    const launched = 'kernel' in e ? e.arrays.reduce((n, { values }) => n + values.byteLength, 8 * e.args.length) : 0;
    const kept = 'kernel' in e ? (e.kept?.bytes ?? 0) : 0;
    return sum + launched + kept + (e.undo?.bytes ?? 0) + (e.structure?.bytes ?? 0);
  }, 0);
