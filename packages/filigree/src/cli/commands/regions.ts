import type { Command } from 'commander';
import { keyValue, wholeNumber, withCommonOptions } from '../common-options.js';
import type { RegionsOptions, RegionsSummary } from '../regions/regions-run.js';
import type { Session } from '../session.js';
import { bytesText, countText, labelled, msText } from '../text.js';

/** `filigree regions gemm --bind A=a.mtx --bind B=b.mtx` */
export const regionsCommand = (program: Command, session: Session): void => {
  withRegionsOptions(withCommonOptions(program.command('regions')))
    .description('finds the iterations of a dense affine program that compute something other than zero')
    .argument(
      '<program>',
      'a program by name (gemm, mm, syrk, syr2k, jacobi1d, jacobi2d, 2mm, trisolve, stencil) or a .fil file',
    )
    .option('--bind <name=file>', 'the matrix file of an input array; arrays without one are full', keyValue)
    .option('--bench', 'run the program over its regions beside the dense one')
    .action(async (what: string, options: RegionsOptions) => {
      const { runRegions, wrongRegions } = await import('../regions/regions-run.js');
      const { summary } = await runRegions(what, options, session);
      session.answer(summary, () => regionsText(summary), wrongRegions(summary));
    });
};

/** The options that only programs with regions have. */
export const withRegionsOptions = (command: Command): Command =>
  command
    .option('--size <name=number>', 'a size of the program, or an integer parameter of its kernels', keyValue)
    .option(
      '--check-limit <n>',
      'iterations of the dense program up to which regions are compared with it',
      wholeNumber(0),
    );

/** A summary for people. */
const regionsText = (s: RegionsSummary): string =>
  labelled([
    [
      'program',
      `${s.program}${Object.entries(s.sizes)
        .map(([n, v]) => ` ${n}=${v}`)
        .join('')}`,
    ],
    ...s.arrays
      .filter((a) => /^(input|inout|const)$/.test(a.role))
      .map((a) => [a.name, `${a.shape.join(' × ')}, ${countText(a.nonZeros)} non-zeros`] as const),
    ...s.statements.flatMap((x) => [
      [x.name, x.recurrence] as const,
      ['', x.equation] as const,
      ['', x.solution] as const,
      ['', `${countText(x.count)} of ${countText(x.dense)} iterations`] as const,
    ]),
    ...s.letters.map(
      (text, k) => [k === 0 ? 'where' : '', text.length > 200 ? `${text.slice(0, 200)} …` : text] as const,
    ),
    ['solved in', msText(s.ms.solve)],
    [
      'evaluated in',
      `${msText(s.ms.evaluate)}${s.rounds.length > 0 ? `, ${s.rounds.join(' + ')} rounds to a fix-point` : ''}`,
    ],
    ['memory', `${s.peakRssMB.toFixed(0)} MB at most`],
    ...codeRows(s),
    [
      'check',
      s.check.skipped !== undefined
        ? `not made: ${s.check.skipped}`
        : `${s.check.passed ? 'passed' : 'FAILED'}, ${countText(s.check.compared)} iterations against the dense program`,
    ],
  ]);

const codeRows = ({ code }: RegionsSummary): readonly (readonly [string, string])[] =>
  code === undefined
    ? []
    : [
        ...code.statements.map(
          (x) =>
            [
              `${x.name} runs`,
              x.form === 'nothing'
                ? 'nowhere'
                : `${countText(x.iterations)} iterations as ${x.pieces === undefined ? x.form : x.pieces === 1 ? 'one piece' : `${x.pieces} pieces`}`,
            ] as const,
        ),
        ['tables', bytesText(code.indexBytes)],
        ...(code.ms.run === undefined || code.ms.dense === undefined
          ? []
          : [
              [
                'run',
                `${msText(code.ms.run)} on ${code.backend}, dense ${msText(code.ms.dense)}, ${code.speedup!.toPrecision(3)} times the run`,
              ] as const,
            ]),
        [
          'results',
          code.check.skipped === undefined
            ? `${code.check.passed ? 'agree' : 'DIFFER'}, largest relative error ${code.check.maxRelError!.toExponential(1)}`
            : `not compared: ${code.check.skipped}`,
        ],
      ];
