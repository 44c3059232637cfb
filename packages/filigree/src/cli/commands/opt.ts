import type { Command } from 'commander';
import { withAnswerOptions, type CommonOptions } from '../common-options.js';
import type { Session } from '../session.js';

/** `filigree opt FILE.fil --passes a,b,c` */
export const optCommand = (program: Command, session: Session): void => {
  withAnswerOptions(program.command('opt'))
    .description('reads a kernel in the text form of the compiler (IR), runs passes on it, prints it')
    .argument('<file.fil>', 'IR text')
    .option('--passes <list>', 'passes, as in cse,unroll{factor=4},dce; default: the passes that suit every kernel')
    .option('--print-after-all', 'print the module after every pass')
    .option('--emit <folder>', 'write the module here')
    .action(
      async (file: string, options: Pick<CommonOptions, 'emit'> & { passes?: string; printAfterAll?: boolean }) => {
        const [ir, { knownPasses }, { readBytes }, { right }, { writeOut }] = await Promise.all([
          import('@filigree/ir'),
          import('../opt/known-passes.js'),
          import('../../files/bytes.js'),
          import('../../api/build.js'),
          import('../write-sources.js'),
        ]);
        const source = new TextDecoder().decode(await readBytes(file));
        session.knowText(file, source);
        if (options.passes !== undefined) session.knowText('<pipeline>', options.passes);
        const parsed = right(ir.parseModule(source, file));
        const known = await knownPasses(parsed);
        const verified = ir.verify(known.dialects);
        const module = right(verified.run(parsed));
        const chosen =
          options.passes === undefined ? known.standard : right(ir.parsePipeline(options.passes, known.passes));
        const text: string[] = [];
        const passes: { name: string; ms: number }[] = [];
        const print = ir.printAfter((t) => text.push(t.endsWith('\n') ? t : `${t}\n`));
        const steps = ir.pipeline(chosen.passes, {
          check: verified,
          onPass: (event) => {
            passes.push({ name: ir.pipelineText(event.pass), ms: event.ms });
            if (options.printAfterAll) print(event);
          },
        });
        const printed = ir.printModule(right(steps.run(module)));
        if (!options.printAfterAll || passes.length === 0) text.push(printed.endsWith('\n') ? printed : `${printed}\n`);
        if (options.emit !== undefined) await writeOut(`${options.emit}/module.fil`, printed);
        session.answer({ module: printed, passes, ...(options.printAfterAll ? { after: text } : {}) }, () =>
          text.join('\n'),
        );
      },
    );
};
