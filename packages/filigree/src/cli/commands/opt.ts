import type { Module } from '@filigree/ir';
import type { Command } from 'commander';
import { withCommonOptions, type CommonOptions } from '../common-options.js';
import type { Session } from '../session.js';

interface OptOptions extends CommonOptions {
  readonly passes?: string;
  readonly printAfterAll?: boolean;
}

/** `filigree opt FILE.fil --passes a,b,c` */
export const optCommand = (program: Command, session: Session): void => {
  withCommonOptions(program.command('opt'))
    .description(
      'reads a kernel in the text form of the compiler (IR), runs passes on it, prints it; with --emit and --backend also what that backend makes of it',
    )
    .argument('<file.fil>', 'IR text')
    .option('--passes <list>', 'passes, as in cse,unroll{factor=4},dce; default: the passes that suit every kernel')
    .option('--print-after-all', 'as --print-after all')
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
      const result = ir.orThrow(steps.run(module, watch));
      const printed = ir.printModule(result);
      const seen = [...text];
      /* After all of them the last text is the module. */
      if (seen.length === 0 || !options.printAfter?.includes('all'))
        text.push(printed.endsWith('\n') ? printed : `${printed}\n`);
      if (options.emit !== undefined) await writeOut(`${options.emit}/module.fil`, printed);
      const sources = await writeFor(result, options, session);
      session.answer({ module: printed, passes, ...(seen.length > 0 ? { printed: seen } : {}), ...sources }, () =>
        text.join('\n'),
      );
    });
};

/* What a backend makes of the module is written only for one that is named: not every module is one that a backend takes. */
const writeFor = async (
  module: Module,
  options: OptOptions,
  session: Session,
): Promise<{ readonly backend?: string; readonly sources?: readonly string[] }> => {
  if (options.backend === undefined) return {};
  const [{ backendOf }, { sourcesOf, writeProgram }] = await Promise.all([
    import('../backend-of.js'),
    import('../write-sources.js'),
  ]);
  const backend = await backendOf(options, session);
  if (options.emit === undefined) return { backend: backend.name };
  return { backend: backend.name, sources: await writeProgram(options.emit, sourcesOf(module, [], backend), module) };
};
