import type { Stretches } from './stretches.js';

/** Iterations of a loop within a stretch: of more, each is a stretch of its own. */
const MOST_ITERATIONS = 32;
/** After so many runs of a loop in which nothing repeats often enough, its first iterations are not recorded. */
const MOST_SMALL_RUNS = 4;
const ITERATIONS_TO_WAIT = 256;
/** Operations that are recorded anew where a loop turns out to be cut. */
const MOST_DIVIDED = 2 ** 18;
/** Runs of a loop that may each be elements of their own: of more, later stages find what the runs have in common. */
const MOST_LARGE_RUNS = 32;
/** After how many stretches it is looked whether a loop repeats at all, how often something should have by then, and after how many times as many again. */
const FIRST_LOOK = { stretches: 512, least: 16 };
const LOOK_AGAIN = 4;
/** How many loops are found without a look at all. */
const LATE = 64;
/** Stretches from one place that may be interrupted by someone who asks for their values. */
const MOST_INTERRUPTED = 16;

/**
 * Decides where stretches begin and end, by the loops that the program is in. At first an iteration of the outermost loop is one stretch, with all that is in
 * it. A loop within it whose length differs, or that is long, is cut: each of its iterations is a stretch, and what stands before and after it. What never repeats
 * is not recorded any more. Whatever is decided, results are right; it decides what they cost.
 *
 * @param repeats whether what stretches from one on did repeats at least so many times, often without a number; else they are nodes from now on. When the loop has ended it is all that there is
 */
export class LoopStack {
  private readonly sites = new Map<object, Map<number, number>>();
  /** Loops that are cut, and those in which all loops are. */
  private readonly isCut: boolean[] = [];
  private readonly isOpen: boolean[] = [];
  private readonly smallRuns: number[] = [];
  private readonly largeRuns: number[] = [];
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
  /** The loop whose body the stretch is part of. */
  private around = 0;
  private first = 0;
  private waits = 0;
  private look = FIRST_LOOK.stretches;
  /* Loops that were met of late, by the last bits of their sites. */
  private readonly lateTexts: (object | undefined)[] = new Array<undefined>(LATE).fill(undefined);
  private readonly lateSites = new Int32Array(LATE);
  private readonly lateLoops = new Int32Array(LATE);

  constructor(
    private readonly stretches: Stretches,
    private readonly repeats: (first: number, least: number | undefined, ended: boolean) => boolean,
  ) {}

  step(text: object, site: number): void {
    const { stack, stretches } = this;
    const loop = this.loopAt(text, site);
    let depth = this.depthOf(loop);
    if (depth >= 0) this.leave(depth + 1);
    else {
      depth = stack.push(loop) - 1;
      this.iterations[depth] = 0;
      this.before[depth] = -1;
      if (depth === 0) {
        this.first = stretches.length;
        this.look = FIRST_LOOK.stretches;
        this.waits =
          this.largeRuns[loop] > MOST_LARGE_RUNS
            ? Infinity
            : this.smallRuns[loop] >= MOST_SMALL_RUNS
              ? ITERATIONS_TO_WAIT
              : 0;
      }
    }
    if (this.waits > 0) {
      this.waits--;
      return;
    }
    if (!this.cuts(depth)) {
      if (stretches.cursor === 0) return;
      const now = stretches.paths.operationsOf(stretches.cursor);
      if (now !== this.before[depth]) this.iterations[depth]++;
      this.before[depth] = now;
      if (this.iterations[depth] <= MOST_ITERATIONS && stretches.mark(2 * loop)) return;
      this.isCut[loop] = true;
      this.divide();
    }
    this.cut(2 * loop, loop);
  }

  done(text: object, site: number): void {
    const { stack, stretches } = this;
    const loop = this.loopAt(text, site);
    const depth = this.depthOf(loop);
    if (depth < 0) return;
    const cuts = this.cuts(depth);
    this.leave(depth);
    if (depth === 0) {
      this.endStretch();
      if (this.waits > 0 || stretches.length === this.first) return;
      (this.repeats(this.first, undefined, true) ? this.largeRuns : this.smallRuns)[loop]++;
      return;
    }
    if (this.waits > 0) return;
    if (!cuts) {
      if (stretches.cursor === 0 || stretches.mark(2 * loop + 1)) return;
      this.isCut[loop] = true;
      this.divide();
    }
    this.cut(2 * loop + 1, stack[depth - 1]);
  }

  /** The stretch that is recorded ends where it is, or where a loop within it began. */
  tooLong(): void {
    const { stack, stretches } = this;
    const within = stack.findIndex((_, depth) => !this.cuts(depth));
    if (within >= 0) {
      this.isCut[stack[within]] = true;
      this.divide();
    }
    if (stretches.isFull) this.endStretch();
  }

  /** Someone asks for a value of the stretch that is recorded. */
  interrupted(): void {
    if (++this.interruptions[this.event] > MOST_INTERRUPTED) this.isOff[this.event] = true;
    this.endStretch();
  }

  /** How far out a loop is that the program is in; −1 for others. */
  private depthOf(loop: number): number {
    let depth = this.stack.length - 1;
    while (depth >= 0 && this.stack[depth] !== loop) depth--;
    return depth;
  }

  /** Loops at this depth and within have ended. */
  private leave(depth: number): void {
    while (this.stack.length > depth) this.stack.pop();
  }

  /** Whether iterations of the loop at this depth are stretches by themselves. */
  private cuts(depth: number): boolean {
    const { stack } = this;
    return depth === 0 || this.isCut[stack[depth]] || this.isOpen[stack[depth - 1]];
  }

  private cut(event: number, around: number): void {
    this.endStretch();
    const recorded = this.stretches.length - this.first;
    if (recorded >= this.look) {
      const least = this.look === FIRST_LOOK.stretches ? FIRST_LOOK.least : undefined;
      this.look *= LOOK_AGAIN;
      if (!this.repeats(this.first, least, false)) {
        this.smallRuns[this.stack[0]]++;
        this.waits = Infinity;
        return;
      }
    }
    this.event = event;
    this.around = around;
    if (!this.isOff[event]) this.stretches.begin(this.rootOf(event));
  }

  private rootOf(event: number): number {
    return (this.roots[event] ??= this.stretches.paths.root());
  }

  /** What the outermost loop did before one within it was cut is divided too, so that it is as what comes. */
  private divide(): void {
    const { stretches, stack } = this;
    if (stretches.valuesFrom(this.first) > MOST_DIVIDED) return;
    const event = stretches.divide(
      this.first,
      (e) => this.isCut[e >> 1],
      (e) => this.rootOf(e),
    );
    if (event < 0) return;
    this.event = event;
    this.around = event % 2 === 0 ? event >> 1 : stack[stack.length - 1];
  }

  private endStretch(): void {
    const { isNew } = this.stretches;
    if (this.stretches.cursor === 0 || !this.stretches.end()) return;
    const { event, around } = this;
    this.count[event]++;
    if (isNew) this.fresh[event]++;
    const [count, fresh] = [this.count[event], this.fresh[event]];
    if (!this.isOpen[around] && fresh > 16 && 8 * fresh > count) {
      this.isOpen[around] = true;
      this.count[event] = this.fresh[event] = 0;
    } else if (fresh > 64 && 4 * fresh > count) this.isOff[event] = true;
  }

  private loopAt(text: object, site: number): number {
    const late = site & (LATE - 1);
    if (this.lateTexts[late] === text && this.lateSites[late] === site) return this.lateLoops[late];
    let known = this.sites.get(text);
    if (known === undefined) this.sites.set(text, (known = new Map<number, number>()));
    let loop = known.get(site);
    if (loop === undefined) {
      loop = this.isOpen.push(false) - 1;
      this.isCut.push(false);
      this.smallRuns.push(0);
      this.largeRuns.push(0);
      for (const event of [2 * loop, 2 * loop + 1]) {
        this.count[event] = this.fresh[event] = this.interruptions[event] = 0;
        this.isOff[event] = false;
      }
      known.set(site, loop);
    }
    this.lateTexts[late] = text;
    this.lateSites[late] = site;
    this.lateLoops[late] = loop;
    return loop;
  }
}
