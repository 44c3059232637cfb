import type { DeviceBuffer } from '@filigree/backend/device';
import type { TaskSetting, Task } from '@filigree/sparse/tasks';
import type { Buffer } from '@filigree/ir';
import type { InstantiateOptions } from '../instantiate.js';
import type { FastMath } from '../program/queue/freedom.js';
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
  /** What compilers may do to kernels, by name. */
  readonly freedom: Map<string, FastMath>;
  readonly options: InstantiateOptions;
  /** Where its fields lie. */
  readonly words: DeviceBuffer;
}

/**
 * Programs that are bound to fields, or to what such programs write, wait with the kernels on these fields: what is done to their buffers is done
 * to the fields. It takes those that are compiled alike, on as many threads; code of both is compiled as the stricter is.
 *
 * @param handedOut values of fields that others were given to be bound to
 */
export const hostOf = (
  { session, queue, self, tasks, setting, own, freedom, options, words }: FieldHost,
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
      if (alike(given) !== alike(options)) return undefined;
      const placed = instance.module.buffers.flatMap(({ name, role }) =>
        role === 'scratch' ? [] : [instance.buffer(name)],
      );
      const known = new Set(setting.buffers.map((b) => b.name));
      const knows = (b: DeviceBuffer): boolean => fieldAt(b) !== undefined || known.has(places.known(b) ?? '');
      const joined = placed.some(knows) ? join(instance, joint) : undefined;
      for (const kernel of joined?.kernels ?? []) freedom.set(kernel, given.fastMath ?? true);
      return joined?.entered;
    },
    held: (stretch) => {
      if (overlap(arena, stretch)) queue.stop();
    },
    sync: (compiled) => queue.sync(compiled),
    report: () => queue.report(),
    end: () => queue.stop(),
  };
};

/** What compilers are told beside what they may do to arithmetic, as text. */
const alike = ({ threads = 1, cache, compiler, limitMs, flags }: InstantiateOptions): string =>
  JSON.stringify([threads, cache, compiler, limitMs, flags]);
