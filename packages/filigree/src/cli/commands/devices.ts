import type { Command } from 'commander';
import { withCommonOptions, type CommonOptions } from '../common-options.js';
import type { Session } from '../session.js';

/** `filigree devices` */
export const devicesCommand = (program: Command, session: Session): void => {
  withCommonOptions(program.command('devices'))
    .description(
      'which backends, compilers and devices work here, why the others do not, and which one a command takes',
    )
    .action(async (options: CommonOptions) => {
      const [{ availableParallelism, cpus }, { allBackends }, { availability }] = await Promise.all([
        import('node:os'),
        import('../backend-of.js'),
        import('@filigree/runtime'),
      ]);
      const { all: known, order } = await allBackends(options);
      const all = await availability(known);
      const width = Math.max(...all.map((b) => b.name.length));
      const chosen = order.map((b) => all[known.indexOf(b)]!).find((b) => b.usable);
      const devices = [{ kind: 'cpu', name: cpus()[0]?.model ?? 'unknown', threads: availableParallelism() }];
      session.answer({ backends: all, default: chosen?.name, devices }, () =>
        [
          ...all.map(
            (b) =>
              `${b.name.padEnd(width)} ${b.usable ? 'works' : 'no   '}  ${b.usable ? b.toolchain : b.reason}${b === chosen ? '  (default)' : ''}\n`,
          ),
          ...devices.map((d) => `${d.kind.padEnd(width)} ${d.name}, ${d.threads} threads\n`),
        ].join(''),
      );
    });
};
