import type { Command } from 'commander';
import {
  ABLATION_NAMES,
  ablateOption,
  arithmeticOption,
  FIELD_ABLATION_NAMES,
  GRAPH_ABLATION_NAMES,
  keyValue,
  withCommonOptions,
} from '../common-options.js';
import type { ExampleRunOptions, ExampleSummary } from '../example-run.js';
import type { Example } from '../../gallery.js';
import type { Session } from '../session.js';
import { labelled, msText } from '../text.js';

/** `filigree run EXAMPLE [key=value …]` and `filigree run --list` */
export const runCommand = (program: Command, session: Session): void => {
  const command = withCommonOptions(program.command('run'))
    .description('runs and checks an example of the gallery')
    .argument('[example]', 'its name')
    .argument('[key=value...]', 'its arguments, which --list names')
    .option('--list', 'list the examples in groups, with what each shows and its arguments')
    .option('--bench', 'time thoroughly, beside baselines')
    .addOption(arithmeticOption())
    .addOption(ablateOption([...ABLATION_NAMES, ...FIELD_ABLATION_NAMES, ...GRAPH_ABLATION_NAMES]));
  command.action(
    async (name: string | undefined, given: readonly string[], options: ExampleRunOptions & { list?: boolean }) => {
      if (options.list) return list(session);
      if (name === undefined) command.error('error: name an example, or use --list');
      const args = argumentsOf(command, given);
      const { runExample, wrongExample } = await import('../example-run.js');
      const summary = await runExample(name!, args, options, session);
      session.answer(summary, () => summaryText(summary), wrongExample(summary));
    },
  );
};

/** `key=value` arguments as a record; another form is a usage error. */
export const argumentsOf = (command: Command, given: readonly string[]): Readonly<Record<string, string>> => {
  let args: Readonly<Record<string, string>> = {};
  for (const text of given) {
    try {
      args = keyValue(text, args);
    } catch (e) {
      command.error(`error: argument '${text}' is invalid. ${e instanceof Error ? e.message : String(e)}`);
    }
  }
  return args;
};

const list = async (session: Session): Promise<void> => {
  const { loadGallery } = await import('../load-gallery.js');
  const gallery = Object.values(await loadGallery());
  const examples = gallery.map(({ name, rows, summary, group, shows, takes }) => ({
    name,
    rows,
    summary,
    group,
    shows,
    takes,
  }));
  session.answer({ examples }, () => listText(gallery));
};

/** Examples under the headings of their groups: a line for what each shows, and one for its arguments. */
const listText = (examples: readonly Example[]): string => {
  const width = Math.max(0, ...examples.map((e) => e.name.length));
  const groups = [...new Set(examples.map((e) => e.group))].map((group) => {
    const lines = examples
      .filter((e) => e.group === group)
      .map(({ name, summary, shows = summary, takes }) => {
        const line = `  ${name.padEnd(width)}  ${shows}\n`;
        return takes === undefined ? line : `${line}  ${' '.repeat(width)}    ${takes}\n`;
      });
    return `${group ?? 'Examples'}\n${lines.join('')}`;
  });
  return [...groups, 'filigree run EXAMPLE key=value … runs one; every argument can be left out.\n'].join('\n');
};

/** A summary for people. */
export const summaryText = (s: ExampleSummary): string =>
  labelled([
    ['example', s.example],
    ...Object.entries(s.metrics).map(([name, value]) => [name, String(value)] as const),
    ...(s.nodes === undefined ? [] : [['nodes', String(s.nodes)] as const]),
    ...(s.kernels === undefined ? [] : [['kernels', String(s.kernels)] as const]),
    ...Object.entries(s.ms).map(([name, ms]) => [`${name} time`, msText(ms)] as const),
    ...Object.entries(s.baselines ?? {}).map(([name, ms]) => [`${name} baseline`, msText(ms)] as const),
    ['on', `${s.backend}, ${s.dtype}, ${s.threads} thread${s.threads === 1 ? '' : 's'}, ${s.memoryMB.toFixed(0)} MB`],
    [
      'check',
      `${s.check.passed ? 'passed' : 'FAILED'}${s.check.maxRelError === undefined ? '' : `, largest relative error ${s.check.maxRelError.toExponential(1)}`}`,
    ],
  ]);
