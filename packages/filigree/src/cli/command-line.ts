import { DiagnosticError, error, type Diagnostic } from '@filigree/ir';
import type { CommanderError } from 'commander';
import { isPath } from './load-extensions.js';
import { memoryProblem } from '../api/memory.js';
import { compileCommand } from './commands/compile.js';
import { devicesCommand } from './commands/devices.js';
import { einsumCommand } from './commands/einsum.js';
import { exprCommand } from './commands/expr.js';
import { inspectCommand } from './commands/inspect.js';
import { optCommand } from './commands/opt.js';
import { regionsCommand } from './commands/regions.js';
import { runCommand } from './commands/run.js';
import { traceCommand } from './commands/trace.js';
import { Session } from './session.js';
import type { Terminal } from './terminal.js';
import { version } from './version.js';

export type { Terminal };

/**
 * Runs one command. Returns the exit status: 0 done, 1 the program or input is wrong, 2 bad usage. Commands load what they
 * need when they run, so that help and usage errors answer at once.
 */
export const runCommandLine = async (argv: readonly string[], terminal: Terminal): Promise<number> => {
  const { Command } = await import('commander');
  const json = argv.includes('--json');
  const session = new Session(terminal, json);
  const program = new Command('filigree')
    .description('Turns numeric programs over sparse data into native kernels for exactly their structure.')
    .version(version())
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError('(see filigree help)')
    .addHelpText('after', '\nExit status: 0 done, 1 the program or input is wrong, 2 bad usage.');
  for (const define of [
    devicesCommand,
    exprCommand,
    traceCommand,
    regionsCommand,
    einsumCommand,
    optCommand,
    compileCommand,
    runCommand,
    inspectCommand,
  ])
    define(program, session);
  for (const command of program.commands)
    command.exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    await session.finish();
    return session.status;
  } catch (e) {
    if (isUsageError(e)) {
      if (e.exitCode === 0) return 0;
      /* `help` of a command that there is none prints all help and says nothing else. */
      const unknown = e.message === '(outputHelp)';
      if (unknown) terminal.err('error: there is no such command\n');
      const message = unknown ? 'there is no such command' : e.message.replace(/^error: /, '');
      /* An expression or a formula, such as -A'+B. */
      const dashed = /^unknown option '-[^-]/.test(message);
      if (dashed) terminal.err(`(${BEHIND_DASHES})\n`);
      const usage = error('cli/usage', message, { remedy: dashed ? BEHIND_DASHES : 'see filigree help' });
      if (json) terminal.out(`${JSON.stringify({ error: usage })}\n`);
      return 2;
    }
    session.fail(diagnosticsOf(e, brought(argv)));
    return 1;
  } finally {
    session.close();
  }
};

const BEHIND_DASHES = 'an argument that begins with - stands last, after --: filigree expr --bind A=a.mtx -- "-A\'"';

const isUsageError = (e: unknown): e is CommanderError =>
  e instanceof Error && 'code' in e && typeof e.code === 'string' && e.code.startsWith('commander.');

/* Modules and packages whose code a command runs beside ours. */
const brought = (argv: readonly string[]): readonly string[] =>
  argv.flatMap((word, k) => {
    const [, option, same] = /^--(use|backend|fallback)(?:=(.*))?$/.exec(word) ?? [];
    const named = same ?? argv[k + 1];
    return option === undefined || named === undefined || (option !== 'use' && !isPath(named)) ? [] : [named];
  });

const diagnosticsOf = (e: unknown, outside: readonly string[]): readonly Diagnostic[] => {
  if (e instanceof DiagnosticError) return e.diagnostics;
  const message = e instanceof Error ? e.message : String(e);
  const exhausted = memoryProblem(e);
  if (exhausted) return [exhausted];
  if (e instanceof Error && 'syscall' in e)
    return [
      error('system/failed', `the system refused a step: ${message}`, {
        remedy: 'check that the path is right, can be read or written, and has space',
      }),
    ];
  if (process.env['FILIGREE_DEBUG'] && e instanceof Error) process.stderr.write(`${e.stack}\n`);
  return [
    error('internal/unexpected', message, {
      remedy:
        outside.length === 0
          ? 'this is a defect of filigree: please report it, with the output under FILIGREE_DEBUG=1'
          : `this is a defect of ${outside.join(' or ')}, or else of filigree: the output under FILIGREE_DEBUG=1 says where it is`,
    }),
  ];
};
