import type { SingleBar } from 'cli-progress';
import type { Terminal } from './terminal.js';

/** Shows how far a long command is: a bar on a terminal, a plain line per step otherwise. Ctrl-C ends with status 130. */
export class Progress {
  private bar: SingleBar | undefined;
  private last = '';
  private readonly stop = (): void => {
    this.stopped();
    process.exit(130);
  };

  constructor(
    private readonly terminal: Terminal,
    /** Called at Ctrl-C. */
    private readonly stopped: () => void,
  ) {}

  /** The command is now at `fraction` (0 to 1) and does `text`. Resolves once that is shown. */
  async at(fraction: number, text: string): Promise<void> {
    this.unlisten();
    if (this.terminal.bar !== undefined) this.bar ??= await startBar(this.terminal.bar);
    this.show(fraction, text);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** The same within a step that keeps the event loop busy. */
  show(fraction: number, text: string): void {
    if (text !== this.last && this.terminal.bar === undefined) this.terminal.err(`filigree: ${text}\n`);
    this.last = text;
    if (this.bar === undefined) return;
    const room = Math.max(10, (this.terminal.bar?.columns || 80) - REST);
    this.bar.update(Math.round(1000 * fraction), { text: text.slice(0, room) });
    /* Otherwise it would be drawn a little later, when the step already keeps the event loop busy. */
    this.bar.render();
  }

  /**
   * The work from here on leaves the event loop free: Ctrl-C ends the process in order. Elsewhere, where JavaScript computes
   * for long and would hear it late, it kills the process at once, as it does by default; a shell sees status 130 either way.
   */
  listen(): void {
    process.once('SIGINT', this.stop);
  }

  unlisten(): void {
    process.off('SIGINT', this.stop);
  }

  /** Takes the bar away, so that a message can be written. */
  clear(): void {
    if (this.bar) this.end();
  }

  end(): void {
    this.unlisten();
    this.bar?.stop();
    this.bar = undefined;
  }
}

/* Columns of the bar beside the text of its step. */
const REST = 48;

const startBar = async (stream: NodeJS.WriteStream): Promise<SingleBar> => {
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    format: '{bar} {percentage} % | {text} | {duration_formatted} gone, {eta_formatted} left',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 12,
    stream,
    /* A process that is killed could give neither back. */
    hideCursor: false,
    linewrap: true,
    formatTime: (seconds: number | string) => (typeof seconds === 'number' ? secondsText(seconds) : '?'),
    clearOnComplete: true,
    etaBuffer: 20,
  });
  bar.start(1000, 0, { text: '' });
  return bar;
};

const secondsText = (s: number): string =>
  s < 60 ? `${Math.round(s)}s` : `${Math.floor(s / 60)}m${Math.round(s % 60)}s`;
