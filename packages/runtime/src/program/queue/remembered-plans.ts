import type { Plan } from '@filigree/sched';
import type { FusedCode } from './fused-code.js';

/** A window and its plan. */
export interface Planned {
  /** What was known of the states before, by number, and after. */
  readonly owner: number;
  readonly next: number;
  readonly kinds: Int32Array;
  readonly hash: number;
  readonly plan: Plan;
  code?: FusedCode;
  /** What was found after it the last time: loops run the same windows in turns. */
  followed?: Planned | undefined;
  /** It was forgotten, or a program that it launches was disposed of. */
  gone?: boolean;
}

/** A window that waits to be run. */
export interface Sought {
  readonly hash: number;
  readonly equals: (kinds: Int32Array) => boolean;
}

/**
 * The plans of windows that were met lately. Those of windows that never come again would fill memory and take time for nothing: the oldest
 * are forgotten, and where new windows follow each other without end one is planned only when it comes a second time.
 */
export class RememberedPlans {
  private readonly lists = new Map<number, readonly Planned[]>();
  /** All plans, the one that was used last at the end. */
  private readonly used = new Set<Planned>();
  private latest: Planned | undefined;
  /** Tasks of all of them, as they were launched. */
  tasks = 0;
  /** Plans that were made since one was found. */
  private unused = 0;
  /** Windows that were met and not planned. */
  private readonly met = new Set<number>();

  /** The plan of a window, with what is known before it. */
  find(window: Sought, owner: number): Planned | undefined {
    const { latest } = this;
    const isIt = (planned: Planned): boolean => planned.owner === owner && window.equals(planned.kinds);
    const likely = latest?.followed;
    const found =
      likely && likely.gone !== true && isIt(likely)
        ? likely
        : this.lists.get(keyOf(window.hash, owner))?.find((planned) => isIt(planned));
    if (!found) return undefined;
    if (found !== latest) {
      this.used.delete(found);
      this.used.add(found);
      this.latest = found;
    }
    if (latest) latest.followed = found;
    this.unused = 0;
    return found;
  }

  /** Whether a window that was not found is to be planned. @param doubtful whether it may well not come again */
  isWorthIt({ hash }: Sought, doubtful: boolean): boolean {
    if ((!doubtful && this.unused < PATIENCE) || this.met.delete(hash)) return true;
    if (this.met.size >= MOST_MET) this.met.clear();
    this.met.add(hash);
    return false;
  }

  keep(planned: Planned): void {
    const key = keyOf(planned.hash, planned.owner);
    this.lists.set(key, [...(this.lists.get(key) ?? []), planned]);
    this.used.add(planned);
    this.latest = planned;
    this.tasks += tasksOf(planned);
    this.unused++;
    for (const oldest of this.used) {
      if (this.tasks <= MOST_TASKS || oldest === planned) break;
      this.forget(oldest);
    }
  }

  /** Forgets those in which some of these kernels are. */
  drop(kinds: ReadonlySet<number>): void {
    for (const planned of [...this.used]) if (planned.kinds.some((kind) => kinds.has(kind))) this.forget(planned);
  }

  clear(): void {
    for (const planned of [...this.used]) this.forget(planned);
  }

  private forget(planned: Planned): void {
    const key = keyOf(planned.hash, planned.owner);
    const kept = this.lists.get(key)!.filter((p) => p !== planned);
    if (kept.length > 0) this.lists.set(key, kept);
    else this.lists.delete(key);
    this.used.delete(planned);
    this.tasks -= tasksOf(planned);
    planned.gone = true;
    planned.followed = undefined;
    planned.code?.dispose();
  }
}

const keyOf = (hash: number, owner: number): number => Math.imul(hash, 31) + owner;

const tasksOf = ({ plan }: Planned): number => plan.before.nodes.length;

/** Tasks of all plans that are kept. */
const MOST_TASKS = 2 ** 15;

/** Plans that nobody needed again, one after the other, before it is waited for windows to come twice. */
const PATIENCE = 16;

const MOST_MET = 2 ** 12;
