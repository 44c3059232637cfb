import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, printModule, type AnyPass, type Module, type PassBegin, type PassEnd, type Watch } from '@filigree/ir';
import type { WatchOptions } from './common-options.js';
import { PassTimes } from './pass-times.js';

/** What is shown of passes while a command compiles: texts before and after those that were asked for, and times. */
export class PassWatch implements Watch {
  private readonly times = new PassTimes();
  private readonly printed: { readonly name: string; readonly text: string }[] = [];
  /* Who left a value knows how it is printed. */
  private readonly printers = new WeakMap<object, AnyPass>();

  /**
   * @param say writes a message for people
   * @param show takes what is printed of passes, unless it goes to files of `folder`
   */
  constructor(
    private readonly options: WatchOptions,
    private readonly say: (text: string) => void,
    private readonly show: (text: string) => void,
    private readonly folder?: string,
  ) {}

  readonly before = (event: PassBegin): void => {
    const { pass, input } = event;
    this.times.before(event);
    if (asksFor(this.options.printBefore, pass)) this.print('before', pass, input);
  };

  readonly after = (event: PassEnd): void => {
    const { pass, output } = event;
    this.times.after(event);
    if (pass.print && typeof output === 'object' && output !== null) this.printers.set(output, pass);
    if (asksFor(this.options.printAfter, pass)) this.print('after', pass, output);
  };

  /** What was asked for at the end: files, times. Refuses with `pipeline/unknown-pass` the name of a pass that did not run. */
  async finish(): Promise<void> {
    if (this.folder !== undefined && this.printed.length > 0) {
      await mkdir(this.folder, { recursive: true });
      for (const [n, { name, text }] of this.printed.entries())
        await writeFile(join(this.folder, `${String(n + 1).padStart(3, '0')}-${name}.fil`), text);
    }
    if (this.options.timePasses) this.say(this.table());
    for (const name of [...(this.options.printBefore ?? []), ...(this.options.printAfter ?? [])])
      if (name !== ALL && !this.times.names.includes(name))
        fail('pipeline/unknown-pass', `no pass '${name}' ran, so nothing was printed of it`, {
          remedy: `these did: ${this.times.names.join(', ')}`,
        });
  }

  private print(when: 'before' | 'after', pass: AnyPass, value: unknown): void {
    const text = this.textOf(value);
    if (text === undefined) return;
    const whole = `; ${when} ${pass.name}\n${text.endsWith('\n') ? text : `${text}\n`}`;
    if (this.folder === undefined) this.show(whole);
    else this.printed.push({ name: `${when}-${pass.name}`, text: whole });
  }

  private textOf(value: unknown): string | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    const printer = this.printers.get(value) as { readonly print?: (value: unknown) => string } | undefined;
    return printer?.print?.(value) ?? (isModule(value) ? printModule(value) : undefined);
  }

  private table(): string {
    const rows = this.times.rows();
    const all = rows.reduce((sum, { ms }) => sum + ms, 0);
    const width = Math.max(...rows.map(({ name }) => name.length), 'pass'.length);
    const line = (name: string, runs: string, ms: string, share: string): string =>
      `${name.padEnd(width)} ${runs.padStart(6)} ${ms.padStart(10)} ${share.padStart(6)}`;
    return [
      line('pass', 'runs', 'ms', 'share'),
      ...rows.map(({ name, runs, ms }) =>
        line(name, String(runs), ms.toFixed(2), `${((100 * ms) / Math.max(all, 1e-9)).toFixed(0)} %`),
      ),
      line('all', '', all.toFixed(2), ''),
    ].join('\n');
  }
}

const ALL = 'all';

const asksFor = (names: readonly string[] | undefined, { name }: AnyPass): boolean =>
  names !== undefined && (names.includes(ALL) || names.includes(name));

const isModule = (value: object): value is Module => 'kernels' in value && 'buffers' in value;
