import type { DeviceBuffer } from '@filigree/backend/device';
import { renamedModule, type Buffer } from '@filigree/ir';
import { cutKernels, overFields, type Task, type TaskSetting } from '@filigree/sparse/tasks';
import { launchByName } from '../program/launch-by-name.js';
import type { Queue } from '../program/queue/queue.js';
import type { Entered, Joining } from './contract.js';
import type { Places, Stretch } from './places.js';
import type { Turns, Waiting } from './turns.js';

/** What the launches of programs wait in that join each other. */
export interface Joint {
  readonly queue: Queue;
  /** The tasks of their kernels, by name: those of programs that join are added. */
  readonly tasks: Map<string, readonly Task[]>;
  /** What tasks are of; buffers of programs that join are added. */
  readonly setting: TaskSetting & { readonly buffers: Buffer[] };
  readonly places: Places;
  readonly turns: Turns;
  /** Who takes turns for all of them. */
  readonly self: Waiting;
  readonly hold: (stretch: Stretch) => void;
  /** Names of buffers that no program that joins may have. */
  readonly own: ReadonlySet<string>;
  /** The field whose values a buffer holds, where programs of fields and others wait together. */
  readonly fieldAt: (buffer: DeviceBuffer) => string | undefined;
}

/**
 * Lets the launches of a program wait with those of others. Its tasks follow from the effects of its ops, and name a buffer by where it lies; so what one
 * program writes and another reads is one state. Nothing where its buffers lie partly in others, which effects do not tell, or where it does to the
 * values of fields what cannot be said of fields.
 */
export const join = (instance: Joining, joint: Joint): Joined | undefined => {
  const { queue, tasks, setting, own, places, turns, self, hold, fieldAt } = joint;
  const { given, module } = instance;
  const placed = module.buffers.flatMap(({ name, role }) => (role === 'scratch' ? [] : [instance.buffer(name)]));
  if (given.buffers.some((b) => b.memory !== undefined)) return undefined;
  const fields = new Map<string, string>();
  for (const b of placed) {
    const field = fieldAt(b);
    if (field !== undefined) fields.set(b.name, field);
    else if (places.crosses(b)) return undefined;
  }
  const onFields = overFields(given, fields, setting.layout, setting.dialects);
  if (!onFields) return undefined;
  const prefix = freePrefix(tasks);
  const names = new Map(onFields.buffers.map(({ name }) => [name, `${prefix}_${name}`]));
  for (const b of placed) if (names.has(b.name)) names.set(b.name, places.nameOf(b, b.name));
  if ([...names.values()].some((name) => own.has(name))) return undefined;
  const known = new Set(setting.buffers.map((b) => b.name));
  const cut = cutKernels(
    renamedModule(onFields, names, (kernel) => `${prefix}_${kernel}`),
    setting.layout,
    setting.dialects,
  );
  setting.buffers.push(...cut.setting.buffers.filter((b) => !known.has(b.name)));
  for (const [kernel, list] of cut.tasks) tasks.set(kernel, list);
  tasks.set(prefix, [...cut.tasks.values()].flat());
  const launch = launchByName(
    {
      launch: (kernel, args) =>
        kernel === prefix ? instance.run() : instance.launch(kernel.slice(prefix.length + 1), args),
      buffer: instance.buffer,
    },
    () => undefined,
    queue,
  );
  const kernels = [prefix, ...cut.tasks.keys()];
  return {
    kernels,
    entered: {
      launch: (kernel, args) => {
        turns.take(self);
        launch(kernel === undefined ? prefix : `${prefix}_${kernel}`, { args });
      },
      flush: () => turns.flush(),
      hold,
      leave: () => {
        turns.flush();
        queue.drop(kernels);
      },
    },
  };
};

/** A program that has joined, and the names of its kernels among those of others. */
export interface Joined {
  readonly entered: Entered;
  readonly kernels: readonly string[];
}

/** A beginning that no name of a kernel has. */
const freePrefix = (tasks: ReadonlyMap<string, unknown>): string => {
  const taken = (prefix: string): boolean => [...tasks.keys()].some((name) => name.startsWith(prefix));
  let n = tasks.size;
  while (taken(`p${n}`)) n++;
  return `p${n}`;
};

/** Buffers of which tables of programs that joined are read where they lie. @param own those that have none in memory that programs share */
export const tablesInPlace = (buffers: readonly Buffer[], own: ReadonlySet<string> = new Set()): readonly Buffer[] =>
  buffers.map(({ data, ...b }) =>
    data === undefined ? b : own.has(b.name) ? { ...b, data } : { ...b, role: 'input' },
  );

/** Whether a launch touches what the host holds. @param held names of buffers */
export const touchesHeld =
  (tasks: ReadonlyMap<string, readonly Task[]>, held: ReadonlySet<string>) =>
  ({ kernel }: { readonly kernel: string }): boolean =>
    held.size > 0 && tasks.get(kernel)!.some((task) => [...task.touches.keys()].some((place) => held.has(place)));
