import type { DeviceBuffer } from '@filigree/backend/device';
import type { TaskSetting, Task } from '@filigree/sparse/tasks';
import type { Buffer } from '@filigree/ir';
import type { InstantiateOptions } from '../instantiate.js';
import type { Queue } from '../program/queue/queue.js';
import type { Host, Session } from './contract.js';
import { join } from './joined.js';
import { overlap, stretchOf } from './places.js';
import type { Waiting } from './turns.js';

/** A program of fields whose launches wait, and what others take part by. */
export interface FieldHost {
  readonly session: Session;
  readonly queue: Queue;
  readonly self: Waiting;
  readonly tasks: Map<string, readonly Task[]>;
  readonly setting: TaskSetting & { readonly buffers: Buffer[] };
  /** Buffers of its own, by name. */
  readonly own: ReadonlySet<string>;
  readonly options: InstantiateOptions;
  /** Where its fields lie. */
  readonly words: DeviceBuffer;
}

/**
 * Programs that are bound to fields, or to what such programs write, wait with the kernels on these fields: what is done to their buffers is done
 * to the fields. It takes those that are compiled at least as freely, on as many threads.
 *
 * @param handedOut values of fields that others were given to be bound to
 */
export const hostOf = (
  { session, queue, self, tasks, setting, own, options, words }: FieldHost,
  handedOut: readonly DeviceBuffer[],
): Host => {
  const { places, turns, hold } = session;
  const arena = stretchOf(words);
  const fieldAt = (b: DeviceBuffer): string | undefined =>
    handedOut.find((h) => h.block === b.block && h.offset === b.offset && h.type === b.type && h.length === b.length)
      ?.name;
  const joint = { queue, tasks, setting, own, places, turns, self, hold, fieldAt };
  return {
    join: (instance, given) => {
      if (!isAsFree(given, options)) return undefined;
      const placed = instance.module.buffers.flatMap(({ name, role }) =>
        role === 'scratch' ? [] : [instance.buffer(name)],
      );
      const known = new Set(setting.buffers.map((b) => b.name));
      const knows = (b: DeviceBuffer): boolean => fieldAt(b) !== undefined || known.has(places.known(b) ?? '');
      return placed.some(knows) ? join(instance, joint) : undefined;
    },
    held: (stretch) => {
      if (overlap(arena, stretch)) queue.stop();
    },
    sync: (compiled) => queue.sync(compiled),
    report: () => queue.report(),
    end: () => queue.stop(),
  };
};

/** Whether what is compiled as the second is may be compiled as the first: that asks for no more to be kept to, and for as many threads. */
const isAsFree = (first: InstantiateOptions, second: InstantiateOptions): boolean =>
  freedom(first) >= freedom(second) && alike(first) === alike(second);

const freedom = ({ fastMath = true }: InstantiateOptions): number => [false, 'contract', true].indexOf(fastMath);

/** What else compilers are told, as text. */
const alike = ({ threads = 1, cache, compiler, limitMs, flags }: InstantiateOptions): string =>
  JSON.stringify([threads, cache, compiler, limitMs, flags]);
