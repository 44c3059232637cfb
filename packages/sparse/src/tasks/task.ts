import type { Kernel, Op } from '@filigree/ir';

/**
 * A part of a kernel that is launched as one: an outermost parallel loop, with what is computed before it, or a serial stretch
 * (thesis §4.4, "Tasks"). All but the kernel follows from it, and is computed once.
 */
export interface Task {
  /** The code, as a kernel of its own with the parameters of the kernel that it was cut from. */
  readonly kernel: Kernel;
  /** The parallel loop; none in a serial stretch. */
  readonly loop: Op | undefined;
  /**
   * Which iterations the loop runs, as text: loops of equal text run the same, as long as what `Touch` says they read of
   * structure does not change. `undefined` in serial stretches, and where it depends on an argument or on memory.
   */
  readonly domain: string | undefined;
  /** What it reads and writes, by state. */
  readonly touches: ReadonlyMap<string, Touch>;
  /** Accesses that activate cells, other than those around the loop's own element. */
  readonly activations: readonly Activation[];
  /** Whether a launch may fail: by a full pool or list, or by a trap. */
  readonly mayFail: boolean;
  /** Ops, at any depth: how much code it is. */
  readonly size: number;
}

/**
 * What a task does to a state. States are named as effects name them: values of a field (`$u`), which cells of a node are active
 * (`#up.u`), the list of those cells (`~up.u`), a buffer (`k_result`); and `+up.u`, the cells that the pool of a node has left.
 */
export interface Touch {
  readonly reads: boolean;
  readonly writes: boolean;
  /** Whether nothing is left of what was there before, and nothing of it is read. */
  readonly overwrites: boolean;
  /** Whether it may take away what was there: of masks, that cells are deactivated. */
  readonly removes: boolean;
  /**
   * Which elements the loop's iterations touch, as text, if no two touch the same; accesses of equal text, in loops over one
   * domain, touch the same in each iteration.
   */
  readonly own: string | undefined;
}

/** An access that activates cells. */
export interface Activation {
  readonly op: Op;
  /**
   * Which cells, as text: whoever did it once for a domain needs not do it again until the domain changes or cells are
   * deactivated. `undefined` where it depends on more than the iteration.
   */
  readonly key: string | undefined;
  /** Whether each iteration does it. */
  readonly always: boolean;
  /** The masks that it may change. */
  readonly masks: readonly string[];
}

/** Tasks by what they are: parallel loops, serial stretches, and those that make lists of active cells. */
export type TaskKind = 'loops' | 'serial' | 'lists';

/** What kind of task it is. */
export const taskKind = ({ loop, touches }: Pick<Task, 'loop' | 'touches'>): TaskKind =>
  [...touches].some(([state, { writes }]) => writes && isList(state)) ? 'lists' : loop ? 'loops' : 'serial';

/** The state of what a pool has left. */
export const allocatorName = (node: string): string => `+${node}`;

/** The state that stands for all there are, of ops that name none. */
export const ANYTHING = '*';

/** Whether a state is which cells of a node are active. */
export const isMask = (state: string): boolean => state.startsWith('#');

/** Whether a state is the list of the active cells of a node. */
export const isList = (state: string): boolean => state.startsWith('~');
