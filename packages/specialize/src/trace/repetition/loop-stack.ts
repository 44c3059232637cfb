import type { Stretches } from './stretches.js';

/** Iterations of a loop within a stretch: of more, each is a stretch of its own. */
const MOST_ITERATIONS = 32;
/** After so many runs of a loop in which nothing repeats often enough, its first iterations are not recorded. */
const MOST_SMALL_RUNS = 4;
const ITERATIONS_TO_WAIT = 256;
/** Stretches from one place that may be interrupted by someone who asks for their values. */
const MOST_INTERRUPTED = 16;

/**
 * Decides where stretches begin and end, by the loops that the program is in. At first an iteration of the outermost loop is one stretch, with all that is in
 * it. Where iterations are too long for that, or loops within them differ in length, the loop is open: loops within it are told apart, and what stands
 * between them. What never repeats is not recorded any more. Whatever is decided, results are right; it decides what they cost.
 *
 * @param ended told at the end of an outermost loop where its stretches began; whether what they did repeats
 */
export class LoopStack {
  private readonly sites = new Map<object, Map<number, number>>();
  private readonly isOpen: boolean[] = [];
  private readonly smallRuns: number[] = [];
  private readonly stack: number[] = [];
  private readonly iterations: number[] = [];
  private readonly before: number[] = [];
  /* By the event with which stretches begin. */
  private readonly roots: number[] = [];
  private readonly count: number[] = [];
  private readonly fresh: number[] = [];
  private readonly interruptions: number[] = [];
  private readonly isOff: boolean[] = [];
  private event = 0;
  private first = 0;
  private waits = 0;
  private lastText: object | undefined;
  private lastSite = -1;
  private last = -1;

  constructor(
    private readonly stretches: Stretches,
    private readonly ended: (first: number) => boolean,
  ) {}

  step(text: object, site: number): void {
    const { stack } = this;
    const loop = this.loopAt(text, site);
    let depth = stack.lastIndexOf(loop);
    if (depth >= 0) stack.length = depth + 1;
    else {
      depth = stack.push(loop) - 1;
      this.iterations[depth] = 0;
      this.before[depth] = -1;
      if (depth === 0) {
        this.first = this.stretches.length;
        this.waits = this.smallRuns[loop] >= MOST_SMALL_RUNS ? ITERATIONS_TO_WAIT : 0;
      }
    }
    if (this.waits > 0) {
      this.waits--;
      return;
    }
    const whole = this.outermostWhole();
    if (whole >= 0 && whole < depth) {
      if (this.stretches.cursor === 0) return;
      const now = this.stretches.paths.operations[this.stretches.cursor];
      if (now !== this.before[depth]) this.iterations[depth]++;
      this.before[depth] = now;
      if (this.iterations[depth] <= MOST_ITERATIONS && this.stretches.mark(2 * loop)) return;
      this.isOpen[stack[whole]] = true;
    }
    this.cut(2 * loop);
  }

  done(text: object, site: number): void {
    const { stack } = this;
    const loop = this.loopAt(text, site);
    const depth = stack.lastIndexOf(loop);
    if (depth < 0) return;
    const whole = this.outermostWhole();
    stack.length = depth;
    if (depth === 0) {
      this.endStretch();
      if (this.waits === 0 && this.stretches.length > this.first && !this.ended(this.first)) this.smallRuns[loop]++;
      return;
    }
    if (this.waits > 0) return;
    if (whole >= 0 && whole < depth) {
      if (this.stretches.cursor === 0 || this.stretches.mark(2 * loop + 1)) return;
      this.isOpen[stack[whole]] = true;
    }
    this.cut(2 * loop + 1);
  }

  /** The stretch that is recorded ends where it is. */
  tooLong(): void {
    const whole = this.outermostWhole();
    if (whole >= 0) this.isOpen[this.stack[whole]] = true;
    this.endStretch();
  }

  /** Someone asks for a value of the stretch that is recorded. */
  interrupted(): void {
    if (++this.interruptions[this.event] > MOST_INTERRUPTED) this.isOff[this.event] = true;
    this.endStretch();
  }

  private outermostWhole(): number {
    return this.stack.findIndex((loop) => !this.isOpen[loop]);
  }

  private cut(event: number): void {
    this.endStretch();
    this.event = event;
    if (!this.isOff[event]) this.stretches.begin((this.roots[event] ??= this.stretches.paths.root()));
  }

  private endStretch(): void {
    const { isNew } = this.stretches;
    if (this.stretches.cursor === 0 || !this.stretches.end()) return;
    const { event } = this;
    this.count[event]++;
    if (isNew) this.fresh[event]++;
    const [count, fresh] = [this.count[event], this.fresh[event]];
    const loop = event >> 1;
    if (!this.isOpen[loop] && fresh > 16 && 8 * fresh > count) {
      this.isOpen[loop] = true;
      this.count[event] = this.fresh[event] = 0;
    } else if (fresh > 64 && 4 * fresh > count) this.isOff[event] = true;
  }

  private loopAt(text: object, site: number): number {
    if (text === this.lastText && site === this.lastSite) return this.last;
    let known = this.sites.get(text);
    if (known === undefined) this.sites.set(text, (known = new Map<number, number>()));
    let loop = known.get(site);
    if (loop === undefined) {
      loop = this.isOpen.push(false) - 1;
      this.smallRuns.push(0);
      for (const event of [2 * loop, 2 * loop + 1]) {
        this.count[event] = this.fresh[event] = this.interruptions[event] = 0;
        this.isOff[event] = false;
      }
      known.set(site, loop);
    }
    this.lastText = text;
    this.lastSite = site;
    this.last = loop;
    return loop;
  }
}
