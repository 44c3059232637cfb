import { DiagnosticError, error, fail, once } from '@filigree/ir';
import type { Shown } from '@filigree/lang/kernels';
import {
  populationChange,
  populationOf,
  repopulate,
  visitElements,
  type Population,
  type PopulationChange,
} from '@filigree/sparse/cells';
import { axesOf, elementsBelow, isSparse, pathTowards, type Path } from '@filigree/sparse/fields';
import type { Arena } from '../fields/arena.js';
import { componentsIn, fieldsOf } from '../fields/component.js';
import { inBrackets, placed, type Place } from './placed.js';
import type { Structural } from './structural.js';

/** Which cells were active before a launch that may change that. */
export interface Structure {
  readonly bytes: number;
  /** Whether the adjoint of the launch runs over what was active before it: the launch has looked for that, and activated nothing. */
  readonly comesFirst: boolean;
  /**
   * Refuses to run the adjoint of the launch, where it looked for active cells before it changed which there are, or where these will not be those that it looked for. Error: `tape/structure`.
   *
   * @param kept the fields that are about to be as they were before the launch, and then lie in cells that were active
   */
  readonly check: (kept: readonly string[]) => void;
  /**
   * Makes the same cells active again, for the adjoints of earlier launches. Error: `tape/structure` where derivatives lay in cells that are gone.
   *
   * @param first called before anything changes
   */
  readonly restore: (first: () => void) => void;
  /** An element or a list that is not as it was. */
  readonly differs: () => string | undefined;
}

/** Copies which cells are active, where adjoints look for active cells and kernels change which there are. */
export interface Structures {
  /** No launch has looked for active cells yet: a recording begins. */
  readonly begin: () => void;
  /** What is to be known of a launch, before it runs. */
  readonly before: (kernel: string) => Structure | undefined;
  /** The same of a step of the host, which may change what is around fields. */
  readonly beforeHost: (writes: readonly string[]) => Structure | undefined;
  /** Takes note of a launch of which nothing is kept, since it will run again. */
  readonly skip: (kernel: string) => void;
  /** All that launches may change and adjoints look for, and what is around a state. */
  readonly now: (state: ReadonlySet<string>) => Structure | undefined;
  /** Takes note of all there is; brings it back. */
  readonly whole: () => () => void;
  /** Counts elements of adjoints that are not zero. */
  readonly count: (adjoints: readonly string[]) => Counted;
  /** The same of what is around a state; cells stay as they are in which launches have left other fields, by their names. */
  readonly around: (state: ReadonlySet<string>) => (left: ReadonlySet<string>) => void;
  /** The fields that lie in what is sparse, and the adjoints that do. */
  readonly fields: readonly string[];
  readonly adjoints: readonly string[];
  /** Those that lie in lists. */
  readonly inLists: readonly string[];
}

/**
 * Adjoints loop over the cells that are active when they run. So before a launch that may change which these are, it is noted which are active of what earlier launches have looked for, and brought back
 * when the adjoints of all later ones have run.
 *
 * @param shown shows the places that a kernel's ops name
 * @param adjoints the names of fields, each with that of its adjoint, which lies in the same cells
 */
export const structuresOf = (
  arena: Arena,
  kernels: ReadonlyMap<string, Structural>,
  adjoints: Readonly<Record<string, string>>,
  shown: (kernel: string) => Shown,
): Structures => {
  const { layout } = arena.storage;
  const sparse = layout.nodes.filter(isSparse).map(({ id }) => id);
  const names = fieldsOf(layout);
  const within = (id: number): readonly string[] => names.filter((name) => layout.fields.get(name)!.path.includes(id));
  const pathOf = new Map(sparse.map((id) => [id, once(() => pathTowards(arena.storage, id))]));
  const derived = new Set(Object.values(adjoints));
  const last = new Map<number, Population>();
  const current = (id: number): Population => {
    const path = pathOf.get(id)!();
    arena.ready(undefined, branchOf(path));
    return populationOf(arena, path);
  };
  /* What has not changed since it was looked at last is kept once. */
  const taken = (id: number): Taken => {
    const [before, now] = [last.get(id), current(id)];
    if (before && !populationChange(pathOf.get(id)!(), before, now)) return { id, then: before, bytes: 0 };
    last.set(id, now);
    return { id, then: now, bytes: now.cells.byteLength + now.lists.byteLength };
  };
  const put = (id: number, then: Population): void => {
    const path = pathOf.get(id)!();
    arena.ready('structure', branchOf(path));
    repopulate(arena, path, then);
  };
  const text = (id: number, at: readonly number[] | undefined): string => {
    const { field, path } = layout.fields.get(within(id)[0])!;
    const axes = axesOf(layout, id);
    const first = at?.map((x, n) => x * elementsBelow(layout, id, path.at(-1)!, axes[n]));
    return first ? `element [${first.join(', ')}] of field '${field.name}'` : `a list of field '${field.name}'`;
  };
  /* What kernels have cleared has adjoints of zero before. */
  const structureOf = (ids: Iterable<number>, who: string, kernel?: string, keeps = false): Structure => {
    const known = kernel === undefined ? undefined : kernels.get(kernel);
    const all = [...ids].sort((a, b) => a - b).map(taken);
    return {
      bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
      comesFirst: known?.shrinks === true && all.some(({ id }) => known.reads.has(id)),
      check: (kept) => {
        for (const { id, then } of all) {
          if (!known?.reads.has(id)) continue;
          if (!known.mixed.has(id) && !within(id).some((f) => kept.includes(f))) continue;
          const change = populationChange(pathOf.get(id)!(), then, current(id));
          if (!change) continue;
          const [read, changed] = [known.reads, known.changes].map((of) => placed(of.get(id), shown(kernel!)));
          refuseMixed(who, text(id, firstOf(change)), change, read, changed);
        }
      },
      restore: (first) => {
        for (const { id, then } of all) {
          const change = populationChange(pathOf.get(id)!(), then, current(id));
          if (!change) continue;
          if (keeps && change.disappeared.length > 0 && within(id).some((name) => derived.has(name)))
            refuseDeactivated(who, text(id, change.disappeared[0]));
          first();
          put(id, then);
        }
      },
      differs: () => {
        for (const { id, then } of all) {
          const change = populationChange(pathOf.get(id)!(), then, current(id));
          if (change) return text(id, firstOf(change));
        }
        return undefined;
      },
    };
  };
  const maybe = (ids: readonly number[], who: string, kernel?: string, keeps = false): Structure | undefined =>
    ids.length === 0 ? undefined : structureOf(ids, who, kernel, keeps);
  const nonZeros = (name: string): number => {
    const { field } = layout.fields.get(name)!;
    const [{ path, nodes, get }] = componentsIn(arena, field);
    arena.ready(undefined, new Set([nodes[0]]));
    let count = 0;
    visitElements(arena, path, (cell) => {
      if (Number(get(cell)) !== 0) count++;
    });
    return count;
  };
  const changed = new Set([...kernels.values()].flatMap(({ changes }) => [...changes.keys()]));
  const volatile = [...new Set([...kernels.values()].flatMap(({ reads }) => [...reads.keys()]))].filter((id) => changed.has(id)); // prettier-ignore
  const inSparse = names.filter((name) => sparse.some((id) => within(id).includes(name)));
  const aroundAny = (fields: ReadonlySet<string>): readonly number[] =>
    sparse.filter((id) => within(id).some((name) => fields.has(name)));
  const read = new Set<number>();
  const skip = (kernel: string): void => kernels.get(kernel)!.reads.forEach((_, id) => read.add(id));
  return {
    begin: () => read.clear(),
    before: (kernel) => {
      const known = kernels.get(kernel)!;
      const ids = [...known.changes.keys()].filter((id) => read.has(id) || known.reads.has(id));
      const structure = maybe(ids, `kernel '${kernel}'`, kernel);
      skip(kernel);
      return structure;
    },
    beforeHost: (writes) => {
      const ids = sparse.filter((id) => writes.some((f) => layout.fields.get(f)!.path.includes(id)));
      return maybe(ids, 'a step of the host', undefined, true);
    },
    skip,
    now: (state) => maybe([...new Set([...volatile, ...aroundAny(state)])], 'a step'),
    around: (state) => {
      const all = aroundAny(state).map((id) => [id, current(id)] as const);
      const isOther = (name: string): boolean => !state.has(name) && !derived.has(name);
      return (left) => {
        for (const [id, then] of all) if (!within(id).some((name) => left.has(name) && isOther(name))) put(id, then);
      };
    },
    whole: () => {
      const all = sparse.map((id) => [id, current(id)] as const);
      return () => all.forEach(([id, then]) => put(id, then));
    },
    count: (names) => {
      const then = names.filter((name) => inSparse.includes(name)).map((name) => [name, nonZeros(name)] as const);
      const less = (): string | undefined => then.find(([name, count]) => nonZeros(name) < count)?.[0];
      return {
        isZero: () => then.every(([, count]) => count === 0),
        isLess: () => less() !== undefined,
        refuseLost: () => {
          const lost = less();
          if (lost !== undefined) refuseGone(lost);
        },
      };
    },
    fields: inSparse.filter((name) => !derived.has(name)),
    adjoints: inSparse.filter((name) => derived.has(name)),
    inLists: inSparse.filter(
      (name) => derived.has(name) && layout.fields.get(name)!.path.some((n) => layout.nodes[n].kind === 'dynamic'),
    ),
  };
};

interface Taken {
  readonly id: number;
  readonly then: Population;
  /** What it takes beside those that are kept already. */
  readonly bytes: number;
}

const branchOf = ({ steps }: Path): ReadonlySet<number> => new Set([steps[0].id]);

const firstOf = ({ appeared, disappeared }: PopulationChange): readonly number[] | undefined =>
  appeared[0] ?? disappeared[0];

const refuseMixed = (
  who: string,
  where: string,
  { appeared }: PopulationChange,
  read: Place,
  changed: Place,
): never => {
  const message = `${who} looks for what is active${inBrackets(read)}, and ${appeared.length > 0 ? 'activates' : 'deactivates'}${inBrackets(changed)} ${where} meanwhile: its derivative would visit others than it did`;
  const remedy = 'activate and deactivate in a kernel of its own, which is launched before';
  throw new DiagnosticError([{ ...error('tape/structure', message, { remedy }), ...read }]);
};

/** How many derivatives there were. */
export interface Counted {
  readonly isZero: () => boolean;
  readonly isLess: () => boolean;
  /** Refuses that there are fewer, since cells of elements have gone. Error: `tape/structure`. */
  readonly refuseLost: () => void;
}

const refuseGone = (adjoint: string): never =>
  fail('tape/structure', `derivatives are asked for by elements that have no cells in the end, in which they would lie: in field '${adjoint}'`, {
    remedy: 'clear and deactivate after the gradient is read, or start from fields whose cells stay, and copy from these',
  }); // prettier-ignore

const refuseDeactivated = (who: string, where: string): never =>
  fail('tape/structure', `${who} has deactivated ${where}, and derivatives by it lie in its cell`, {
    remedy: 'set it to zero instead, or deactivate before the first launch that is recorded',
  });
