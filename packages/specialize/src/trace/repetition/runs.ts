import { IntList, lastUpTo } from '../../decompose/int-list.js';

/** The run of a value is looked for among those of 2 to this power of values that follow one another. */
const VALUES_TOGETHER = 8;

/**
 * Stretches that were recorded, in the order of the program. Those that follow one another on one path are a run, of which all is known from its first: each has as many
 * operations and as many leaves. So what a stretch costs are its leaves, and who goes through stretches looks at their path once for a run.
 */
export class Runs {
  /** How many stretches there are. */
  length = 0;
  /* By run: its first stretch, the first value and leaf of that, and where the path ends; how many operations and leaves each stretch has. */
  private readonly firsts = new IntList();
  private readonly bases = new IntList();
  private readonly leafStarts = new IntList();
  private readonly ends = new IntList();
  private readonly operations = new IntList();
  private readonly leafCounts = new IntList();
  /* The run of the first value of each stretch of values, as far as one was looked for. */
  private readonly ofValues = new IntList();
  /* The run that was found last, from its first stretch and value to those behind it. */
  private found = 0;
  private from = 0;
  private to = 0;
  private base = 0;
  private end = 0;

  get count(): number {
    return this.firsts.length;
  }

  /** Adds a stretch. */
  push(end: number, base: number, leafStart: number, operations: number, leaves: number): void {
    const last = this.firsts.length - 1;
    if (last < 0 || this.ends.at(last) !== end) {
      this.firsts.push(this.length);
      this.bases.push(base);
      this.leafStarts.push(leafStart);
      this.ends.push(end);
      this.operations.push(operations);
      this.leafCounts.push(leaves);
    }
    this.length++;
    this.to = this.end = 0;
  }

  /** Leaves only so many stretches. */
  truncate(length: number): void {
    if (length >= this.length) return;
    const base = this.baseOf(length);
    const runs = lastUpTo(this.firsts, length - 1, 0, this.count) + 1;
    for (const list of [this.firsts, this.bases, this.leafStarts, this.ends, this.operations, this.leafCounts])
      list.length = runs;
    this.ofValues.length = Math.min(this.ofValues.length, base >>> VALUES_TOGETHER);
    this.length = length;
    this.to = this.end = 0;
  }

  firstOf(run: number): number {
    return this.firsts.at(run);
  }

  /** The first stretch behind a run. */
  behind(run: number): number {
    return run + 1 < this.count ? this.firsts.at(run + 1) : this.length;
  }

  endOf(run: number): number {
    return this.ends.at(run);
  }

  operationsOf(run: number): number {
    return this.operations.at(run);
  }

  leavesOf(run: number): number {
    return this.leafCounts.at(run);
  }

  /** The run of a stretch. */
  runOf(stretch: number): number {
    if (stretch < this.from || stretch >= this.to) this.find(lastUpTo(this.firsts, stretch, 0, this.count));
    return this.found;
  }

  /** The run of a value. */
  runOfValue(value: number): number {
    if (value >= this.base && value < this.end) return this.found;
    const { ofValues } = this;
    const block = value >>> VALUES_TOGETHER;
    for (let next = ofValues.length; next <= block; next++)
      ofValues.push(lastUpTo(this.bases, next << VALUES_TOGETHER, next === 0 ? 0 : ofValues.at(next - 1), this.count));
    const last = block + 1 < ofValues.length ? ofValues.at(block + 1) + 1 : this.count;
    this.find(lastUpTo(this.bases, value, ofValues.at(block), last));
    return this.found;
  }

  /** The first value of a stretch, in its run. */
  baseIn(run: number, stretch: number): number {
    return this.bases.at(run) + (stretch - this.firsts.at(run)) * this.operations.at(run);
  }

  /** The first leaf of a stretch, in its run. */
  leafStartIn(run: number, stretch: number): number {
    return this.leafStarts.at(run) + (stretch - this.firsts.at(run)) * this.leafCounts.at(run);
  }

  /** The stretch of a value, in its run. */
  stretchIn(run: number, value: number): number {
    return this.firsts.at(run) + (((value - this.bases.at(run)) / this.operations.at(run)) | 0);
  }

  stretchOf(value: number): number {
    return this.stretchIn(this.runOfValue(value), value);
  }

  baseOf(stretch: number): number {
    return this.baseIn(this.runOf(stretch), stretch);
  }

  leafStartOf(stretch: number): number {
    return this.leafStartIn(this.runOf(stretch), stretch);
  }

  private find(run: number): void {
    this.found = run;
    this.from = this.firsts.at(run);
    this.to = this.behind(run);
    this.base = this.bases.at(run);
    this.end = this.base + (this.to - this.from) * this.operations.at(run);
  }
}
