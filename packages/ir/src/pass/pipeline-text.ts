import type * as E from 'fp-ts/lib/Either.js';
import { DiagnosticError, type Diagnostics, fail } from '../diagnostics/diagnostic.js';
import { orLeft } from '../diagnostics/either.js';
import type { Attrs } from '../kernel/op.js';
import { Lexer, describe } from '../text/lexer.js';
import { parseAttrs } from '../text/parse-attrs.js';
import { attrText } from '../text/print-attrs.js';
import type { PassRegistry } from './factory.js';
import type { Pass } from './pass.js';
import { type Pipeline, type PipelineOptions, isPipeline, pipeline } from './pipeline.js';

/** A pass or pipeline as text, `cse,unroll{factor=4}`; a named pipeline inside another is `name[…]`. */
export const pipelineText = <A>(p: Pass<A>): string => {
  if (!isPipeline(p)) return p.name + optionsText(p.options ?? {});
  const inner = p.passes
    .map((q) => (isPipeline(q) && q.name === 'pipeline' ? `pipeline[${pipelineText(q)}]` : pipelineText(q)))
    .join(',');
  return p.name === 'pipeline' ? inner : `${p.name}[${inner}]`;
};

/**
 * The pipeline that a text names, its passes made by the registry. Blanks and `;` comments are skipped. An unknown pass is
 * `pipeline/unknown-pass` with its place; a wrong option is what the factory says, with its place.
 */
export const parsePipeline = <A>(
  text: string,
  registry: PassRegistry<A>,
  options: PipelineOptions<A> = {},
): E.Either<Diagnostics, Pipeline<A>> =>
  orLeft(() => {
    const lexer = new Lexer(text, '<pipeline>', true);
    const passes = lexer.peek().kind === 'end' ? [] : parseList(lexer, registry, 0);
    if (lexer.peek().kind !== 'end')
      lexer.fail('pipeline/syntax', `expected ',' or the end, found ${describe(lexer.peek())}`, {
        remedy: 'write pass{option=value},pass',
      });
    return pipeline(passes, options);
  });

const optionsText = (options: Attrs): string => {
  const keys = Object.keys(options).sort();
  return keys.length === 0 ? '' : `{${keys.map((k) => `${attrText(k)}=${attrText(options[k])}`).join(',')}}`;
};

const parseList = <A>(lexer: Lexer, registry: PassRegistry<A>, depth: number): readonly Pass<A>[] => {
  if (depth > 100) lexer.fail('pipeline/syntax', 'pipelines nest too deep', { remedy: 'nest at most 100' });
  const passes: Pass<A>[] = [];
  do {
    const token = lexer.expectKind('word', `a pass's name`);
    if (lexer.accept('[')) {
      const inner = lexer.at(']') ? [] : parseList(lexer, registry, depth + 1);
      lexer.expect(']');
      passes.push(pipeline(inner, { name: token.text }));
      continue;
    }
    const options = lexer.at('{') ? parseAttrs(lexer) : {};
    if (!Object.hasOwn(registry, token.text))
      lexer.fail('pipeline/unknown-pass', `there is no pass '${token.text}'`, {
        token,
        remedy: `use one of ${Object.keys(registry).sort().join(', ')}`,
      });
    passes.push(makePass(lexer, token.text, registry, options, token));
  } while (lexer.accept(','));
  return passes;
};

/* Factories do not know where their options stand. */
const makePass = <A>(
  lexer: Lexer,
  name: string,
  registry: PassRegistry<A>,
  options: Attrs,
  token: Parameters<Lexer['loc']>[0],
): Pass<A> => {
  try {
    return registry[name](options);
  } catch (e) {
    if (!(e instanceof DiagnosticError)) throw e;
    const [d] = e.diagnostics;
    return fail(d.code, d.message, { loc: d.loc ?? lexer.loc(token), remedy: d.remedy });
  }
};
