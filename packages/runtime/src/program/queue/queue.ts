import { type Diagnostic, type Diagnostics, orThrow } from '@filigree/ir';
import { noOwners, plan, type Owners, type Plan, type Span } from '@filigree/sched';
import { type Site } from '@filigree/sparse/fields';
import { taskKind, type TaskKind } from '@filigree/sparse/tasks';
import { inKernel, type Call, type Returned } from '../launcher.js';
import { codeWorkers, type CodeWorkers } from '../../away/code-workers.js';
import { withoutCode } from '../../away/without-code.js';
import { strictest, type FastMath } from './freedom.js';
import { wantedCode, type CodeSetting, type FusedCode, type Making, type WantedCode } from './fused-code.js';
import type { QueueOptions } from './queue-options.js';
import { RememberedPlans, type Planned } from './remembered-plans.js';
import type { QueueReport } from './report.js';
import { Window } from './window.js';

/** What a queue works with. */
export interface QueueSetting extends CodeSetting {
  /** How code is made of kernels that compilers may do so much to. */
  readonly making: (fastMath: FastMath) => Making;
  /** What compilers may do to a kernel. Code of several is compiled as the strictest is. */
  readonly freedomOf: (kernel: string) => FastMath;
  readonly queue: QueueOptions;
  /** Whether a launch must not wait. */
  readonly atOnce?: (call: Call) => boolean;
  /** What was warned of when the program itself was compiled. */
  readonly said?: Diagnostics;
  /** Throws what the last launches reported, by the places that their code numbers. */
  readonly check: (call: Call, sites: readonly Site[]) => void;
  /** Clears up after what failed, and throws it. */
  readonly failed: (cause: unknown) => never;
}

/**
 * Launches that wait until someone looks (thesis §4.5): then they are planned together and run. A window that was planned before is
 * run by the code that was made for it since; a new one runs launch by launch, while its code is made.
 */
export class Queue {
  private readonly window = new Window();
  /** Those of the launches that wait, and behind them what is left of longer windows. */
  private readonly calls: Call[] = [];
  /** Arrays that launches were given, each with the window in which the last one waits or waited. */
  private readonly inputs = new Map<string, number>();
  private windows = 0;
  private readonly plans = new RememberedPlans();
  private readonly knownOwners = new Map<string, number>();
  private readonly pending = new Set<Promise<void>>();
  private readonly kinds = new Map<string, number>();
  /** Of what kind the tasks of each kernel are. */
  private readonly kindsOf = new Map<string, readonly TaskKind[]>();
  private owners: Owners = noOwners;
  private last: Plan | undefined;
  private owner = 0;
  private readonly wanted: number;
  private readonly workers: CodeWorkers | undefined;
  private limit: number;
  private unrepeated = 0;
  private stopped = false;
  private disposed = false;
  private running = false;
  private readonly timeline: Span[] = [];
  private readonly kindsLaunched: Record<TaskKind, number> = { loops: 0, serial: 0, lists: 0 };
  private counts = { launches: 0, tasksLaunched: 0, tasksCompiled: 0, tasksKept: 0, plans: 0, planMs: 0, compileMs: 0 };
  private readonly warnings: Diagnostics[] = [];
  private readonly said: Set<string>;

  constructor(private readonly setting: QueueSetting) {
    this.wanted = this.limit = setting.queue.window ?? WINDOW;
    this.said = new Set((setting.said ?? []).map((d) => d.code));
    const { workers } = setting.queue;
    this.workers = workers === 0 ? undefined : codeWorkers(workers);
    this.ownerOf(noOwners);
  }

  /**
   * Launches a kernel, time and again: the launch is queued, or done if it must be at once. Gives what the kernel returned, else
   * `before`.
   */
  launcherOf(call: Call): (given: readonly unknown[], before: Returned) => Returned {
    const kind = this.kindOf(call);
    const { atOnce } = this.setting;
    const { bind, args } = call;
    if (atOnce || call.copiesOut || call.returns || call.record || call.inputs.length > 0)
      return (given, before) => this.run(call, kind, given, before);
    /* What most launches are: scalars, if anything, go in, and nothing comes out. */
    const { window, calls } = this;
    return (given, before) => {
      if (this.stopped) return this.run(call, kind, given, before);
      bind(given);
      calls[window.length] = call;
      window.add(kind, args);
      if (window.length >= this.limit) this.flushWhole();
      return before;
    };
  }

  private run(call: Call, kind: number, given: readonly unknown[], before: Returned): Returned {
    const { window, calls, inputs } = this;
    if (this.stopped || call.copiesOut || this.setting.atOnce?.(call) === true) {
      this.flush();
      call.bind(given);
      this.count(call);
      call.start();
      return call.finish(given, before);
    }
    const copied = call.inputs.length > 0;
    if (copied && call.inputs.some((b) => inputs.get(b) === this.windows)) this.flush();
    call.bind(given);
    call.record?.();
    calls[window.length] = call;
    window.add(kind, call.args);
    if (copied) for (const b of call.inputs) inputs.set(b, this.windows);
    if (call.returns) {
      this.flush();
      return call.finish(given, before);
    }
    if (window.length >= this.limit) this.flushWhole();
    return before;
  }

  /** Runs what waits. Throws what a launch reports; those after it are dropped. */
  flush(): void {
    this.unrepeated = 0;
    this.runWindow(this.window.length > this.wanted ? 'doubtful' : 'likely');
  }

  /** As `flush`; with `compiled` also waits for the code of all plans. */
  async sync(compiled: boolean): Promise<void> {
    this.flush();
    if (!compiled) return;
    while (this.pending.size > 0) {
      this.workers?.help();
      const some = Promise.race(this.pending);
      await (this.workers ? this.workers.hold(some) : some);
    }
  }

  /** Cells may have been activated or deactivated by others. */
  forget(): void {
    this.owners = noOwners;
    this.owner = this.ownerOf(noOwners);
  }

  /** Runs everything at once from now on: someone holds the memory itself. */
  stop(): void {
    this.flush();
    this.stopped = true;
  }

  /** Forgets all plans in which these kernels are. */
  drop(kernels: readonly string[]): void {
    this.plans.drop(new Set(kernels.flatMap((k) => this.kinds.get(k) ?? [])));
    for (const kernel of kernels) this.kindsOf.delete(kernel);
  }

  report(): QueueReport {
    return {
      ...this.counts,
      launches: this.counts.launches + this.window.length,
      kinds: { ...this.kindsLaunched },
      timeline: [...this.timeline],
      remembered: this.plans.tasks,
      warnings: this.warnings.flat(),
      last: this.last,
    };
  }

  /** Runs what waits, since others may share the memory; the code of plans goes even where that fails. Launches run at once from now on. */
  dispose(): void {
    try {
      this.flush();
    } finally {
      this.disposed = this.stopped = true;
      this.plans.clear();
    }
  }

  /** Runs the launches up to where the user's loop begins anew, and keeps the others. */
  private flushWhole(): void {
    const { window } = this;
    const { whole, repeats } = window.turn;
    const longest = this.limit > this.wanted && this.limit >= LONGEST;
    const rest = this.calls.slice(whole, window.length).map((call, k) => ({ call, args: window.argsOf(whole + k) }));
    window.cut(whole);
    const planned = this.runWindow(repeats ? 'likely' : longest ? 'never' : 'doubtful');
    if (planned) this.unrepeated = 0;
    else if (++this.unrepeated > 1) {
      /* A loop that is longer than the window would be cut at another place each time. */
      this.unrepeated = 0;
      this.limit = Math.min(2 * this.limit, Math.max(LONGEST, this.limit));
    }
    for (const { call, args } of rest) {
      this.calls[window.length] = call;
      window.add(this.kindOf(call), args);
      for (const b of call.inputs) this.inputs.set(b, this.windows);
    }
  }

  /** Gives whether there is a plan for the window. @param again whether it may come again */
  private runWindow(again: Again): boolean {
    const { window, calls, setting } = this;
    if (window.length === 0 || this.running) return false;
    this.running = true;
    try {
      if (this.pending.size > 0) this.workers?.poll();
      const planned = this.plannedOf(again);
      if (planned) this.last = planned.plan;
      /* A loop runs windows without end, of which one may take less time than a look at the clock. */
      const begin = this.timeline.length < MOST_SPANS ? performance.now() : undefined;
      if (planned?.code) {
        const { code } = planned;
        code.run(
          window,
          ({ fails, nodes, kinds }) => {
            this.counts.tasksLaunched += nodes.length;
            for (const kind of KINDS) this.kindsLaunched[kind] += kinds[kind];
            if (fails !== undefined) setting.check(calls[fails], code.sites);
          },
          (launch, cause) => {
            setting.check(calls[launch], code.sites);
            throw inKernel(calls[launch].launch, cause);
          },
        );
        setting.check(calls[window.length - 1], code.sites);
      } else
        for (let k = 0; k < window.length; k++) {
          this.count(calls[k]);
          calls[k].startWith(window.argsOf(k));
        }
      if (begin !== undefined) this.spent('run', begin);
      if (planned) {
        this.owners = planned.plan.owners;
        this.owner = planned.next;
      } else this.forget();
      return planned !== undefined;
    } catch (e) {
      this.forget();
      return setting.failed(e);
    } finally {
      this.running = false;
      this.clear();
    }
  }

  private clear(): void {
    this.counts.launches += this.window.length;
    this.window.clear();
    this.windows++;
  }

  /** The plan of the window, found or made; nothing where windows come that never come again. */
  private plannedOf(again: Again): Planned | undefined {
    const { window, owner, plans } = this;
    const known = plans.find(window, owner);
    if (known) return known;
    if (again === 'never' || !plans.isWorthIt(window, again === 'doubtful')) return undefined;
    const begin = performance.now();
    const launches = this.calls.slice(0, window.length).map((c) => ({ tasks: this.setting.cut.tasks.get(c.kernel)! }));
    const made = orThrow(
      plan(this.owners, launches, this.setting.cut.setting, { without: this.setting.queue.without ?? [] }),
    );
    const planned: Planned = {
      owner,
      kinds: window.list(),
      hash: window.hash,
      plan: made,
      next: this.ownerOf(made.owners),
    };
    this.counts.plans++;
    this.counts.planMs += this.spent('plan', begin);
    plans.keep(planned);
    if (isBetter(made)) this.makeCode(planned);
    return planned;
  }

  /**
   * Has the code of a plan made: what another process left is there at once, all else is made by workers or, where there are none, by this
   * thread when it has time. Until then launches run one by one.
   */
  private makeCode(planned: Planned): void {
    const { graph } = planned.plan;
    const { making, freedomOf } = this.setting;
    const launched = graph.nodes.flatMap(({ parts }) => parts.map(({ launch }) => this.calls[launch].kernel));
    const wanted = wantedCode(graph, this.setting, making(strictest(new Set(launched.map(freedomOf)))));
    if (wanted.ops > MOST_OPS) return this.warn([tooLong(wanted.ops)]);
    if (this.took(planned, wanted.kept)) return;
    const { workers } = this;
    const { job, place, of, leave } = wanted;
    const isWanted = (): boolean => !this.isLost(planned);
    const done = new Promise<void>((resolve) => {
      const here = (): void => void this.makeHere(planned, wanted).then(resolve);
      if (!job || !workers) here();
      else
        workers.make({
          job,
          isWanted,
          place: (lowered) => {
            try {
              return isWanted() ? place(lowered) : undefined;
            } catch (e) {
              this.warnings.push(withoutCode(e));
              return undefined;
            }
          },
          done: (said) => {
            if (said?.is === 'made') this.took(planned, () => of(said.made));
            leave();
            if (!said) return here();
            if (said.is === 'failed') this.warnings.push(said.why);
            resolve();
          },
        });
    }).finally(() => this.pending.delete(done));
    this.pending.add(done);
  }

  private async makeHere(planned: Planned, { here }: WantedCode): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    if (this.isLost(planned)) return;
    const begin = performance.now();
    try {
      this.putCode(planned, await here());
    } catch (e) {
      this.warnings.push(withoutCode(e));
    } finally {
      this.counts.compileMs += this.spent('compile', begin);
    }
  }

  /** Loads code that is there, if it is. */
  private took(planned: Planned, load: () => FusedCode | undefined): boolean {
    if (this.isLost(planned)) return false;
    const begin = performance.now();
    try {
      const code = load();
      if (code) this.putCode(planned, code);
      return code !== undefined;
    } catch (e) {
      this.warnings.push(withoutCode(e));
      return false;
    } finally {
      this.counts.compileMs += this.spent('compile', begin);
    }
  }

  private putCode(planned: Planned, code: FusedCode): void {
    if (this.isLost(planned)) return code.dispose();
    planned.code = code;
    this.counts.tasksCompiled += code.kernels;
    if (code.kept) this.counts.tasksKept += code.kernels;
    this.warn(code.warnings);
  }

  /** Once of each kind: a disk that is full is so for the code of every plan. */
  private warn(said: Diagnostics): void {
    const fresh = said.filter(({ code }) => !this.said.has(code));
    for (const { code } of fresh) this.said.add(code);
    if (fresh.length > 0) this.warnings.push(fresh);
  }

  private isLost({ gone }: Planned): boolean {
    return this.disposed || gone === true;
  }

  /** Takes note of what was done since, and gives how long it took. */
  private spent(what: Span['what'], from: number): number {
    const to = performance.now();
    if (this.timeline.length < MOST_SPANS) this.timeline.push({ what, from, to });
    return to - from;
  }

  private count({ kernel }: Call): void {
    let kinds = this.kindsOf.get(kernel);
    if (!kinds) this.kindsOf.set(kernel, (kinds = this.setting.cut.tasks.get(kernel)!.map(taskKind)));
    this.counts.tasksLaunched += kinds.length;
    for (let k = 0; k < kinds.length; k++) this.kindsLaunched[kinds[k]]++;
  }

  private kindOf({ kernel }: Call): number {
    const known = this.kinds.get(kernel) ?? this.kinds.size;
    this.kinds.set(kernel, known);
    return known;
  }

  private ownerOf(owners: Owners): number {
    const text = JSON.stringify(owners);
    const known = this.knownOwners.get(text) ?? this.knownOwners.size;
    this.knownOwners.set(text, known);
    return known;
  }
}

/** A loop that is cut in the middle is cut elsewhere the next time, unless the host looks in between. */
type Again = 'likely' | 'doubtful' | 'never';

/** Whether a plan does anything but launch what was launched. */
const isBetter = ({ before, graph }: Plan): boolean => graph.nodes.some((n, k) => n !== before.nodes[k]);

/** Ops of a plan beyond which nobody would wait for its code: compilers take about a millisecond for each. */
const MOST_OPS = 30_000;

const tooLong = (ops: number): Diagnostic => ({
  severity: 'warning',
  code: 'queue/code-size',
  message: `a window of launches has code of ${ops} operations, and may have ${MOST_OPS}; its launches run one by one`,
  remedy: 'let fewer launches wait: queue: { window }, or flush() where your loop begins anew',
});

/** What is drawn of a loop that runs windows without end: its beginning says what they cost. */
const MOST_SPANS = 1000;

const KINDS: readonly TaskKind[] = ['loops', 'serial', 'lists'];

const WINDOW = 128;

/** Launches beyond which it is not waited for a loop to begin anew. */
const LONGEST = 4096;
