import type { SingleBar } from 'cli-progress';
import type { Terminal } from './terminal.js';

/** Shows how far a long command is: a bar on a terminal, a plain line per step otherwise. Ctrl-C ends with status 130. */
export class Progress {
  private bar: SingleBar | undefined;
  private last = '';
  private readonly stop = (): void => {
    this.end();
    process.exit(130);
  };

  constructor(private readonly terminal: Terminal) {}

  /**
   * The command is now at `fraction` (0 to 1) and does `text`. Resolves once that is shown.
   */
  async at(fraction: number, text: string): Promise<void> {
    process.off('SIGINT', this.stop);
    if (text !== this.last && this.terminal.bar === undefined) this.terminal.err(`filigree: ${text}\n`);
    this.last = text;
    if (this.terminal.bar !== undefined) {
      this.bar ??= await startBar(this.terminal.bar);
      this.bar.update(Math.round(1000 * fraction), { text });
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  /**
   * The work from here on leaves the event loop free: Ctrl-C ends the process in order. Elsewhere, where JavaScript computes
   * for long and would hear it late, it kills the process at once, as it does by default; a shell sees status 130 either way.
   */
  listen(): void {
    process.once('SIGINT', this.stop);
  }

  /** Takes the bar away, so that a message can be written. */
  clear(): void {
    if (this.bar) this.end();
  }

  end(): void {
    process.off('SIGINT', this.stop);
    this.bar?.stop();
    this.bar = undefined;
  }
}

const startBar = async (stream: NodeJS.WriteStream): Promise<SingleBar> => {
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    format: '{bar} {percentage} % | {text} | {duration_formatted} gone, {eta_formatted} left',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    stream,
    hideCursor: false,
    clearOnComplete: true,
    etaBuffer: 20,
  });
  bar.start(1000, 0, { text: '' });
  return bar;
};
