import type { Backend } from '@filigree/backend';
import type { DeviceBuffer } from '@filigree/backend/device';
import type { Diagnostics } from '@filigree/ir';
import type { Instance, InstantiateOptions } from '../../instantiate.js';
import type { Session } from '../../session/contract.js';
import { hostOf, type FieldHost } from '../../session/field-host.js';
import { touchesHeld } from '../../session/joined.js';
import type { Waiting } from '../../session/turns.js';
import type { RunningParts } from '../running.js';
import { checkStatus } from '../status.js';
import { statusDiagnostic } from '../status-diagnostic.js';
import { isPlaced } from './fused-code.js';
import { Queue, type QueueSetting } from './queue.js';
import type { QueueSource } from './queue-source.js';

/** A program whose launches wait. */
export interface WaitingProgram {
  readonly source: QueueSource;
  readonly backend: Backend;
  readonly instance: Instance;
  readonly session: Session | undefined;
  /** How its code is compiled, and what was warned of then. */
  readonly options: InstantiateOptions;
  readonly said: Diagnostics;
}

/** The launches that wait, and how programs of a session take part in them. */
export interface WaitingLaunches {
  readonly queue: Queue;
  /** Lets programs join that are bound to these fields; gives what ends that. */
  readonly host: (self: Waiting, words: DeviceBuffer, handedOut: readonly DeviceBuffer[]) => (() => void) | undefined;
}

/** What the launches of a program that runs wait in. */
export const waitingLaunches = (
  { source, backend, instance, session, options, said }: WaitingProgram,
  { arena, guarded }: Pick<RunningParts, 'arena' | 'guarded'>,
): WaitingLaunches => {
  const joint = tasksOf(source);
  const queue = new Queue({
    ...source,
    making: (fastMath) => ({ ...source.making(fastMath), options: { ...options, fastMath } }),
    freedomOf: (kernel) => joint.freedom.get(kernel) ?? options.fastMath ?? true,
    backend,
    said,
    bufferOf: placedIn(instance, session),
    cut: joint,
    ...(session && { atOnce: touchesHeld(joint.tasks, session.held) }),
    check: ({ launch, shown }, sites) => checkStatus(arena, { sites, said: statusDiagnostic }, launch, shown),
    failed: guarded,
  });
  return {
    queue,
    host: (self, words, handedOut) =>
      session?.hosts(hostOf({ ...joint, session, queue, self, words, options }, handedOut)),
  };
};

/** The tasks that wait, to which those of programs that join are added. */
const tasksOf = ({
  cut: { tasks, setting },
}: QueueSource): Pick<FieldHost, 'tasks' | 'setting' | 'own' | 'freedom'> => ({
  tasks: new Map(tasks),
  setting: { ...setting, buffers: [...setting.buffers] },
  own: new Set(setting.buffers.map((b) => b.name)),
  freedom: new Map(),
});

/** The buffers of an instance by name, but for constants and scratch; and those of programs that wait with it. */
const placedIn = (instance: Instance, session: Session | undefined): QueueSetting['bufferOf'] => {
  const there = new Set(instance.module.buffers.flatMap(({ name, role }) => (isPlaced(role) ? [name] : [])));
  return (name) => (there.has(name) ? instance.buffer(name) : session?.places.bufferOf(name));
};
