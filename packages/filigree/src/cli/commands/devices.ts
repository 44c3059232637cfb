import type { Command } from 'commander';
import { ABSENT } from '../backend-of.js';
import { withAnswerOptions } from '../common-options.js';
import type { Session } from '../session.js';

/** `filigree devices` */
export const devicesCommand = (program: Command, session: Session): void => {
  withAnswerOptions(program.command('devices'))
    .description('which backends, compilers and devices work here, and why the others do not')
    .action(async () => {
      const [{ backends }, { availability }, { availableParallelism, cpus }] = await Promise.all([
        import('../../api/backends.js'),
        import('@filigree/runtime'),
        import('node:os'),
      ]);
      const present = await availability(backends());
      const absent = Object.entries(ABSENT).map(([name, reason]) => ({ name, usable: false, reason, toolchain: '' }));
      const all = [...present, ...absent];
      const chosen = all.find((b) => b.usable)?.name;
      const devices = [{ kind: 'cpu', name: cpus()[0]?.model ?? 'unknown', threads: availableParallelism() }];
      session.answer({ backends: all, default: chosen, devices }, () =>
        [
          ...all.map(
            (b) =>
              `${b.name.padEnd(6)} ${b.usable ? 'works' : 'no   '}  ${b.usable ? b.toolchain : b.reason}${b.name === chosen ? '  (default)' : ''}\n`,
          ),
          ...devices.map((d) => `${d.kind.padEnd(6)} ${d.name}, ${d.threads} threads\n`),
        ].join(''),
      );
    });
};
