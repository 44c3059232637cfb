import type { Command } from 'commander';
import { complexOption, keyValue, wholeNumber, withCommonOptions } from '../common-options.js';
import type { EinsumRunOptions } from '../einsum/einsum-options.js';
import type { EinsumSummary } from '../einsum/einsum-run.js';
import { speedRows } from '../einsum/speed-rows.js';
import type { Session } from '../session.js';
import { countText, labelled, msText } from '../text.js';

/** `filigree einsum 'Q[skp] += I[slq]*K[lk]*A[qp]' --shape I=8,56,9 …` */
export const einsumCommand = (program: Command, session: Session): void => {
  const command = withTensorOptions(withCommonOptions(program.command('einsum')))
    .description('plans and compiles a kernel on small tensors in Einstein notation, runs it, checks it')
    .argument('<formula>', "assignments such as 'Q[kp] += dt*K[kl]*I[lq]*A[qp]', several with ; between them")
    .addOption(complexOption())
    .option('--bench', 'time thoroughly, beside baselines and the measured peak')
    .option('--no-fast-math', 'do not let the compiler reassociate')
    .option('--project', 'with --emit: sources for a C++, C or Fortran project, with CMakeLists.txt and unit tests')
    .allowExcessArguments(true);
  command.action(async (formula: string, options: EinsumRunOptions) => {
    const [, more] = command.args;
    if (more !== undefined) command.error(`error: '${more}' is one argument too many. ${adviceOn(more)}`);
    if (options.project && options.emit === undefined)
      command.error('error: --project says what --emit writes: add --emit FOLDER');
    const { runEinsum, wrongEinsum } = await import('../einsum/einsum-run.js');
    const run = await runEinsum(formula, options, session);
    try {
      session.answer(run.summary, () => summaryText(run.summary), wrongEinsum(run.summary));
    } finally {
      run.program.dispose();
    }
  });
};

/** What an argument behind the formula was meant to be. */
const adviceOn = (more: string): string =>
  /^\w+(\([\d,]*\))?=\S+$/.test(more)
    ? 'Each value has an option of its own: --shape I=8,56,9 --shape k=56.'
    : 'The formula is one argument in quotes, assignments in it are separated by ;.';

/** The options that say what the tensors of a formula are. */
export const withTensorOptions = (command: Command): Command =>
  command
    .option(
      '--shape <name=extents>',
      'the shape of a tensor as I=8,56,9, or the extent of an index as k=56, again for each; what follows can be left out',
      keyValue,
    )
    .option(
      '--pattern <name=file>',
      'a matrix file whose entries are those that may be non-zero; again for each tensor',
      keyValue,
    )
    .option(
      '--known <name=file>',
      'a matrix file whose values are known when code is made; again for each tensor',
      keyValue,
    )
    .option('--layout <name=kind>', 'dense, box, aligned, csc or compressed', keyValue)
    .option('--scalar <name=number>', 'the value of a scalar', keyValue)
    .option(
      '--max-temporary-bytes <bytes>',
      'the most memory that intermediate results may take; default 16 MiB',
      wholeNumber(1),
    )
    .option('--no-implicit-sums', 'an index that is not on the left must stand in two places, or it is an error')
    .option('--name <name>', "the kernel's name", 'einsum');

/** A summary for people. */
export const summaryText = (s: EinsumSummary): string =>
  labelled([
    ['formula', s.formula],
    ...Object.entries(s.tensors).map(([name, t]): [string, string] => [
      name,
      `${t.shape.join(' × ') || 'a number'}, ${countText(t.nnz)} entries, ${countText(s.eqspp[name]!.nnz)} of them needed, ${t.layout} of ${countText(t.size)}`,
    ]),
    ...Object.entries(s.known).map(([name, k]): [string, string] => [
      name,
      `${k.formula}, computed beforehand: ${k.shape.join(' × ') || 'a number'}, ${countText(k.nnz)} entries`,
    ]),
    ...s.order.map((line, k): [string, string] => [k === 0 ? 'order' : '', `${line}${sizes(s.steps[k])}`]),
    [
      'operations',
      `${countText(s.flops.nonzero)} on non-zeros, ${countText(s.flops.hardware)} in hardware (stored zeros included), ${countText(s.flops.naive)} of plain loops`,
    ],
    ['built in', `${msText(s.ms.plan)} plan + ${msText(s.ms.generate)} generate + ${msText(s.ms.compile)} compile`],
    ['run', `${msText(s.ms.run)} on ${s.backend}, ${s.dtype}, ${s.threads} thread${s.threads === 1 ? '' : 's'}`],
    ...speedRows(s),
    ...Object.entries(s.baselines).map(
      ([name, ms]) => [name, `${msText(ms)}, ${(ms / s.ms.run).toPrecision(3)} times the run`] as const,
    ),
    ...Object.entries(s.skipped).map(([name, why]) => [name, `not measured: ${why}`] as const),
    [
      'check',
      `${s.check.passed ? 'passed' : 'FAILED'}, largest relative error ${s.check.maxRelError?.toExponential(1) ?? 'not finite'}`,
    ],
  ]);

const sizes = (step: EinsumSummary['steps'][number] | undefined): string =>
  step?.m === undefined || step.m === null
    ? ''
    : `   (${step.m} × ${step.n} × ${step.k}${step.loops.length > 0 ? `, ${step.loops.join(' · ')} times` : ''})`;
