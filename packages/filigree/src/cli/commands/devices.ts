import type { Command } from 'commander';
import { withAnswerOptions, type AnswerOptions } from '../common-options.js';
import type { Session } from '../session.js';

/** `filigree devices` */
export const devicesCommand = (program: Command, session: Session): void => {
  withAnswerOptions(program.command('devices'))
    .description('which backends, compilers and devices work here, and why the others do not')
    .action(async ({ use }: AnswerOptions) => {
      const [{ backends }, { availability }, { availableParallelism, cpus }, { loadExtensions }] = await Promise.all([
        import('../../api/backends.js'),
        import('@filigree/runtime'),
        import('node:os'),
        import('../load-extensions.js'),
      ]);
      const all = await availability(backends(await loadExtensions(use)));
      const width = Math.max(...all.map((b) => b.name.length));
      const chosen = all.find((b) => b.usable)?.name;
      const devices = [{ kind: 'cpu', name: cpus()[0]?.model ?? 'unknown', threads: availableParallelism() }];
      session.answer({ backends: all, default: chosen, devices }, () =>
        [
          ...all.map(
            (b) =>
              `${b.name.padEnd(width)} ${b.usable ? 'works' : 'no   '}  ${b.usable ? b.toolchain : b.reason}${b.name === chosen ? '  (default)' : ''}\n`,
          ),
          ...devices.map((d) => `${d.kind.padEnd(width)} ${d.name}, ${d.threads} threads\n`),
        ].join(''),
      );
    });
};
