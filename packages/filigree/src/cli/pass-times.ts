import type { AnyPass, PassBegin, PassEnd, Watch } from '@filigree/ir';

/** How often each pass ran, and the milliseconds of it without those inside. */
export class PassTimes implements Required<Watch> {
  private readonly ran = new Map<string, { runs: number; ms: number }>();
  /* The passes that run now, outermost first, each with the milliseconds of those inside. */
  private readonly running: { readonly pass: AnyPass; inside: number }[] = [];

  readonly before = ({ pass }: PassBegin): void => {
    this.running.push({ pass, inside: 0 });
  };

  readonly after = ({ pass, ms }: PassEnd): void => {
    /* Those inside that failed did not end; those around may have begun before anyone looked. */
    while (this.running.length > 0 && this.running.at(-1)!.pass !== pass) this.running.pop();
    const inside = this.running.pop()?.inside ?? 0;
    const around = this.running.at(-1);
    if (around) around.inside += ms;
    const { runs, ms: own } = this.ran.get(pass.name) ?? { runs: 0, ms: 0 };
    this.ran.set(pass.name, { runs: runs + 1, ms: own + ms - inside });
  };

  /** The names of passes in the order in which they first ended. */
  get names(): readonly string[] {
    return [...this.ran.keys()];
  }

  /** The longest first. */
  rows(): readonly { readonly name: string; readonly runs: number; readonly ms: number }[] {
    return [...this.ran].map(([name, { runs, ms }]) => ({ name, runs, ms })).sort((a, b) => b.ms - a.ms);
  }
}
