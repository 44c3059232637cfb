import type { Command } from 'commander';
import { withAnswerOptions, withWatchOptions, type CommonOptions, type WatchOptions } from '../common-options.js';
import type { Session } from '../session.js';

interface OptOptions extends Pick<CommonOptions, 'emit' | 'use'>, WatchOptions {
  readonly passes?: string;
  readonly printAfterAll?: boolean;
}

/** `filigree opt FILE.fil --passes a,b,c` */
export const optCommand = (program: Command, session: Session): void => {
  withWatchOptions(withAnswerOptions(program.command('opt')))
    .description('reads a kernel in the text form of the compiler (IR), runs passes on it, prints it')
    .argument('<file.fil>', 'IR text')
    .option('--passes <list>', 'passes, as in cse,unroll{factor=4},dce; default: the passes that suit every kernel')
    .option('--print-after-all', 'as --print-after all')
    .option('--emit <folder>', 'write the module here')
    .action(async (file: string, given: OptOptions) => {
      const options = given.printAfterAll ? { ...given, printAfter: [...(given.printAfter ?? []), 'all'] } : given;
      const [ir, { knownPasses }, { readBytes }, { writeOut }, { loadExtensions }] = await Promise.all([
        import('@filigree/ir'),
        import('../opt/known-passes.js'),
        import('../../files/bytes.js'),
        import('../write-sources.js'),
        import('../load-extensions.js'),
      ]);
      const source = new TextDecoder().decode(await readBytes(file));
      session.knowText(file, source);
      if (options.passes !== undefined) session.knowText('<pipeline>', options.passes);
      const parsed = ir.orThrow(ir.parseModule(source, file));
      const known = await knownPasses(parsed, await loadExtensions(options.use));
      const verified = ir.verify(known.dialects);
      const module = ir.orThrow(verified.run(parsed));
      const chosen =
        options.passes === undefined ? known.standard : ir.orThrow(ir.parsePipeline(options.passes, known.passes));
      const text: string[] = [];
      const passes: { name: string; ms: number }[] = [];
      const watch = session.watch(options, options.emit === undefined ? (t) => text.push(t) : undefined);
      const steps = ir.pipeline(chosen.passes, {
        check: verified,
        onPass: (event) => passes.push({ name: ir.pipelineText(event.pass), ms: event.ms }),
      });
      const printed = ir.printModule(ir.orThrow(steps.run(module, watch)));
      const seen = [...text];
      /* After all of them the last text is the module. */
      if (seen.length === 0 || !options.printAfter?.includes('all'))
        text.push(printed.endsWith('\n') ? printed : `${printed}\n`);
      if (options.emit !== undefined) await writeOut(`${options.emit}/module.fil`, printed);
      session.answer({ module: printed, passes, ...(seen.length > 0 ? { printed: seen } : {}) }, () => text.join('\n'));
    });
};
