/** Someone whose launches may wait. */
export interface Waiting {
  /** Runs what waits. */
  readonly flush: () => void;
}

/**
 * Who of several in one memory has launches that wait: one at a time, so that what was launched first runs first, whoever launched it.
 */
export class Turns {
  private last: Waiting | undefined;

  /** What `who` does next comes after all that others have launched. */
  take(who: Waiting): void {
    if (this.last === who) return;
    const before = this.last;
    this.last = who;
    before?.flush();
  }

  /** Runs what waits. */
  flush(): void {
    this.last?.flush();
  }
}
