import { error, formatDiagnostic, type Diagnostic, type Diagnostics } from '@filigree/ir';
import { join } from 'node:path';
import type { WatchOptions } from './common-options.js';
import { PassWatch } from './pass-watch.js';
import { Progress } from './progress.js';
import type { Terminal } from './terminal.js';

/** One run of the command line: its streams, its progress, its exit status, the texts that diagnostics point into. */
export class Session {
  status = 0;
  readonly progress: Progress;
  /* Whoever looks at the passes of this run. */
  private passes: PassWatch | undefined;
  private readonly texts = new Map<string, string>();
  /* Whoever waits for an answer gets one from a process that the user's own code ends, too. */
  private readonly cutShort = (status: number): void => {
    const message = `the process ended, with status ${status}, before the command was done`;
    this.fail([
      error('cli/ended', message, {
        remedy: 'take out what ends it in a module that is loaded, such as process.exit()',
      }),
    ]);
    process.exitCode = 1;
  };

  constructor(
    readonly terminal: Terminal,
    readonly json: boolean,
  ) {
    this.progress = new Progress(terminal, () => this.close());
    process.once('exit', this.cutShort);
  }

  /** Shows of passes what options ask for; undefined where they ask for nothing. @param show where texts go, default stderr */
  watch(
    options: WatchOptions & { readonly emit?: string },
    show = (text: string): void => this.message(text),
  ): PassWatch | undefined {
    const { printBefore, printAfter, timePasses, emit } = options;
    if (printBefore === undefined && printAfter === undefined && timePasses === undefined) return undefined;
    this.passes ??= new PassWatch(
      options,
      (text) => this.message(text),
      show,
      emit === undefined ? undefined : join(emit, 'passes'),
    );
    return this.passes;
  }

  /** The run is done, and whatever is shown at its end. */
  async finish(): Promise<void> {
    await this.passes?.finish();
  }

  /** Makes the text of a source known, for code frames of diagnostics that name it. */
  knowText(file: string, text: string): void {
    this.texts.set(file, text);
  }

  /**
   * The command's result: one JSON document, or text for people. `wrong` says why it is not to be trusted: it becomes part
   * of the document, and the exit status is 1.
   */
  answer(value: object, text: () => string, wrong?: Diagnostic): void {
    this.close();
    this.terminal.out(this.json ? `${JSON.stringify(wrong ? { ...value, error: wrong } : value)}\n` : text());
    if (wrong) {
      this.warn([wrong]);
      this.status = 1;
    }
  }

  warn(diagnostics: Diagnostics = []): void {
    for (const d of diagnostics) this.message(formatDiagnostic(d, d.loc && this.texts.get(d.loc.file)));
  }

  message(text: string): void {
    this.progress.clear();
    this.terminal.err(`${text}\n`);
  }

  /** Says what is wrong, on stderr and, where JSON is wanted, as `{"error": …}` too. */
  fail(diagnostics: Diagnostics): void {
    this.close();
    this.warn(diagnostics);
    if (this.json) {
      const [first, ...more] = diagnostics as readonly [Diagnostic, ...Diagnostic[]];
      this.terminal.out(`${JSON.stringify({ error: { ...first, ...(more.length > 0 ? { more } : {}) } })}\n`);
    }
  }

  /** What this run had to say is said, or nobody waits for it any more. */
  close(): void {
    this.progress.end();
    process.off('exit', this.cutShort);
  }
}
