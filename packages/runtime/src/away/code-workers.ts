import type { MessagePort } from 'node:worker_threads';
import type { Json } from '@filigree/ir';
import type { Skeletons } from '../bank/skeleton.js';
import { startScript } from '../worker-script.js';
import type { CodeJob, Said, Told } from './code-job.js';

/** A job that a worker, or whoever waits for it, is to do. */
export interface Task {
  readonly job: CodeJob;
  /** Whether it is still to be done. */
  readonly isWanted: () => boolean;
  /** Where its code is to lie, for code that knows its place; nothing where nobody wants it any more. */
  readonly place: (of: Skeletons) => Json | undefined;
  /** Told once: what a worker said, or nothing where none does it. */
  readonly done: (said: Extract<Said, { is: 'made' | 'failed' }> | undefined) => void;
}

/**
 * Threads that lower and compile while this one runs. They are started when nobody takes a job at once, and hold no process. What they say is
 * heard when this thread waits for something, and else when it asks (`poll`): a loop that never waits profits, too. A worker that dies
 * gives back what it had.
 */
export class CodeWorkers {
  private readonly members = new Set<Member>();
  private readonly waiting: Task[] = [];
  private readonly holders = new Set<object>();
  /** No worker came up: there are none here, as in browsers and bundles. */
  private none = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly size: number) {}

  make(task: Task): void {
    if (this.none) return task.done(undefined);
    this.waiting.push(task);
    this.give();
    if (this.waiting.length > 0) this.timer ??= setTimeout(() => ((this.timer = undefined), this.start()));
  }

  /** Gives a job back that no worker has begun: whoever has nothing else to do does it. */
  help(): void {
    this.waiting.shift()?.done(undefined);
  }

  /** Hears what workers have said, without waiting. */
  poll(): void {
    this.start();
    if (this.members.size === 0) return;
    const { receiveMessageOnPort } = process.getBuiltinModule('node:worker_threads');
    for (const member of [...this.members])
      for (let got = receiveMessageOnPort(member.port); got; got = receiveMessageOnPort(member.port))
        this.hear(member, got.message as Said);
  }

  /** The process does not end before this is done. */
  async hold<A>(done: Promise<A>): Promise<A> {
    const holder = {};
    this.holders.add(holder);
    for (const { port } of this.members) port.ref();
    try {
      return await done;
    } finally {
      this.holders.delete(holder);
      if (this.holders.size === 0) for (const { port } of this.members) port.unref();
    }
  }

  /** Gives workers that do nothing what waits. */
  private give(): void {
    for (const member of this.members) {
      while (member.ready && !member.task && this.waiting.length > 0) {
        const task = this.waiting.shift()!;
        if (!task.isWanted()) task.done(undefined);
        else
          try {
            tell(member, { is: 'job', job: task.job });
            member.task = task;
          } catch {
            /* What is no plain data stays in this thread. */
            task.done(undefined);
          }
      }
    }
  }

  /** Starts workers for what waits, as many as there may be. */
  private start(): void {
    let coming = 0;
    for (const { ready } of this.members) if (!ready) coming++;
    try {
      for (; coming < this.waiting.length && this.members.size < this.size; coming++) this.startOne();
    } catch {
      this.giveUp();
    }
  }

  private startOne(): void {
    const threads = process.getBuiltinModule('node:worker_threads');
    const { port1, port2 } = new threads.MessageChannel();
    const ended = new Int32Array(new SharedArrayBuffer(4));
    const worker = startScript('code-worker', {
      workerData: { port: port2, ended },
      transferList: [port2],
    });
    const member: Member = { port: port1, ended, ready: false, task: undefined };
    port1.on('message', (said: Said) => this.hear(member, said));
    if (this.holders.size === 0) port1.unref();
    worker.on('error', () => this.lose(member));
    worker.on('exit', () => this.lose(member));
    worker.unref();
    if (this.members.size === 0) process.on('exit', this.end);
    this.members.add(member);
  }

  private hear(member: Member, said: Said): void {
    if (said.is === 'ready') member.ready = true;
    else if (said.is === 'lowered') tell(member, { is: 'place', place: member.task?.place(said.of) });
    else {
      const { task } = member;
      member.task = undefined;
      task?.done(said);
    }
    this.give();
  }

  private lose(member: Member): void {
    if (!this.members.delete(member)) return;
    if (this.members.size === 0) process.off('exit', this.end);
    member.port.close();
    const { task } = member;
    member.task = undefined;
    task?.done(undefined);
    if (member.ready) this.start();
    else if (this.members.size === 0) this.giveUp();
  }

  private giveUp(): void {
    this.none = true;
    for (const task of this.waiting.splice(0)) task.done(undefined);
  }

  /* Compilers that were started by workers are stopped by them. */
  private readonly end = (): void => {
    for (const { port, task, ended } of this.members) {
      if (!task) continue;
      port.postMessage({ is: 'end' } satisfies Told);
      Atomics.wait(ended, 0, 0, LONGEST_END);
    }
  };
}

const tell = ({ port }: Member, told: Told): void => port.postMessage(told);

interface Member {
  readonly port: MessagePort;
  /** 1 when it has cleaned up. */
  readonly ended: Int32Array;
  ready: boolean;
  task: Task | undefined;
}

/** Milliseconds that a process waits at its end for a worker, which may be lowering. */
const LONGEST_END = 200;

/** All programs of a process that allow so many workers share them. Default one fewer than there are processors, from 1 to 4. */
export const codeWorkers = (size = defaultSize()): CodeWorkers => {
  const known = pools.get(size) ?? new CodeWorkers(size);
  pools.set(size, known);
  return known;
};

const pools = new Map<number, CodeWorkers>();

/* One processor is left to the loop that launches. Where there is no Node no worker starts. */
const defaultSize = (): number => {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  const processors = process?.getBuiltinModule?.('node:os').availableParallelism() ?? 1;
  return Math.max(1, Math.min(4, processors - 1));
};
