import type { Attrs, Value } from '@filigree/ir';
import { rare } from '#lowering';
import { fixed, plus, type Emit } from '../access/lower/address.js';
import { extract } from '../access/lower/digits.js';
import { cellOf, coordinatesOf, entry, loadWord } from './cells.js';
import { lastUsed } from './counters.js';
import { loop } from './loop.js';
import { enterTask, firstAround, lengthOf, startAt, tasksOf, type Place } from './nest.js';
import type { Plan } from './plan.js';
import { RESERVED_CELLS } from '../storage/lots.js';
import { type Storage } from '../storage/storage.js';

export interface TaskOptions {
  /** Whether cells of the source may become active or inactive meanwhile: then those that are active before are listed first. */
  readonly changing: boolean;
  /** Whether the list of active cells, where one is needed, is there already. */
  readonly listed?: boolean;
  /** Whether one thread does all; default false. */
  readonly alone?: boolean;
  /** Attributes of the loop. */
  readonly attrs: Attrs;
}

/** Runs `body` for each task of a plan, in parallel unless it says otherwise. */
export const overTasks = (e: Emit, plan: Plan, options: TaskOptions, body: (place: Place) => void): void => {
  const { b, storage } = e;
  const { source } = plan;
  const tasks = tasksOf(plan);
  const attrs = options.alone === true ? {} : { ...options.attrs, parallel: true };
  if (source === 0) {
    const start = startAt(new Map(), firstAround(plan, fixed(storage.root)));
    const list = plan.loops.length === 1 && plan.split === 1 && plan.loops[0].at;
    const count = list && list.length !== undefined ? lengthOf(e, list, plus(start.around, list.offset)) : b.i32(tasks);
    return loop(b, count, (task) => body(enterTask(e, plan, start, task)), {
      attrs: plan.split === plan.loops.length && options.alone !== true ? { ...attrs, simd: true } : attrs,
      hint: 'task',
    });
  }
  const at = storage.nodes[source];
  const isListed = needsList(plan, storage, options.changing);
  const each = (count: Value, from: number, cell: (n: Value, run: (id: Value) => void) => void): void =>
    loop(
      b,
      tasks === 1 ? count : b.mul(count, b.i32(tasks)),
      (t) =>
        cell(tasks === 1 ? t : extract(b, t, tasks, 0, false), (id) => {
          const { address } = cellOf(e, source, id);
          const start = startAt(coordinatesOf(e, source, id), firstAround(plan, address));
          body(enterTask(e, plan, start, extract(b, t, 1, tasks, false)));
        }),
      { attrs, hint: 'task', ...(from === 0 ? {} : { from: b.i32(from * tasks) }) },
    );
  if (isListed) {
    const list = options.listed === true ? at.list! : rare().makeList(e, source);
    each(loadWord(e, fixed(list.length)), 0, (n, run) => run(loadWord(e, entry(list.cells, n))));
  } else if (at.pool) {
    const { active } = at.pool;
    each(lastUsed(e, at.pool), RESERVED_CELLS, (n, run) => {
      b.if(b.cmp('ne', loadWord(e, entry(active, n)), b.i32(0)), () => run(n));
    });
  } else each(lengthOf(e, at, plus(fixed(storage.root), at.offset)), 0, (n, run) => run(n));
};

/** Whether the tasks of a plan are taken from a list of the active cells of its source. */
export const needsList = ({ source }: Plan, { nodes }: Storage, changing: boolean): boolean => {
  if (source === 0) return false;
  const { pool, length, node } = nodes[source];
  return pool ? changing : length === undefined || node.parent !== 0;
};
