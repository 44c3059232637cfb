import { checkOptions, option, optionKind, optionsOf, type Loc, type OptionSpec } from '@filigree/ir';
import { TraceMap, originalPositionFor, type SourceMapInput } from '@jridgewell/trace-mapping';
import type { Program } from 'acorn';
import type MagicString from 'magic-string';
import type { SourceMap } from 'magic-string';
import { insertAround } from '../numeric/rewrite/insert.js';
import { asExpression } from '../source/function-text.js';
import { locOf, siteOf, type Site } from '../source/place.js';
import { parseSource, type Parsed } from '../source/parse.js';
import { byAcorn } from '../source/by-acorn.js';
import { textOfTree, treeOf, type Tree } from '../source/tree.js';
import { rewrite } from '../numeric/rewrite/rewrite.js';
import { asWrittenIn, type Written } from '../source/spelling/as-written.js';
import { findKept, type KeptFunction } from './kept-functions.js';
import { findRoots } from './roots.js';
import type { Methods } from './standing.js';

/** How a module is rewritten. */
export interface TransformOptions {
  /** The module from which rewritten code takes what it calls, with all that `@filigree/lang/runtime` has, which is the default. */
  readonly helpers?: string;
  /** Where rewritten code finds the operations on symbols; default `defaultOps` of its helpers. */
  readonly ops?: { readonly module: string; readonly name: string };
  /** Modules whose `symbolic` marks a function; default `@filigree/lang`, its two front ends, and `filigree`. */
  readonly modules?: RegExp;
  /** Whether the source text is embedded in the output, for code frames at run time; default true. */
  readonly frames?: boolean;
  /** If types were stripped before: the map from the text given here to the one that its author wrote, and that text. */
  readonly original?: { readonly map: string | object; readonly text?: string | undefined };
}

/** The rewritten module and its source map. */
export interface TransformResult {
  readonly code: string;
  readonly map: SourceMap;
}

/**
 * Rewrites in place the functions of a JavaScript module that are to be traced, and every function of the module that
 * they call, so that closures and imports keep working. Of functions that kernels are compiled from it keeps the text and
 * what they use. Undefined if the module has neither. Types must have been stripped; `id` is the file's name, for
 * diagnostics and the source map.
 */
export const transform = (code: string, id: string, given?: TransformOptions): TransformResult | undefined => {
  const options = transformOptions('transform', given);
  if (!/\b(symbolic|compile|kernel|inlined)\b/.test(code)) return undefined;
  const file = id.replace(/\?.*$/, '');
  const text = options.original ? options.original.text : code;
  const parsed = parseSource(code, { file, source: text }, byAcorn, relocation(options.original?.map));
  const from = helpersOf(options);
  const modules = options.modules ?? /^(@filigree\/lang(\/numeric|\/kernels)?|filigree)$/;
  const roots = findRoots(parsed, modules);
  const functions = findKept(parsed, modules);
  if (roots.nodes.length === 0 && functions.length === 0) return undefined;

  const { code: s, helpers, prefix } = rewrite(parsed, roots.nodes);
  const start: string[] = [];
  if (roots.nodes.length > 0) {
    for (const argument of roots.marked)
      insertAround(
        s,
        parsed.text,
        argument,
        `${prefix}mark(`,
        `, ${prefix}numericOps)${argument.type === 'FunctionDeclaration' ? ';' : ''}`,
      );
    const marking = ['bindOps', 'mark', ...(roots.methods.length > 0 ? ['markMembers'] : [])];
    for (const m of roots.methods) markMethods(s, parsed.text, prefix, m);
    const marks = (name: string): string => `${prefix}mark(${name}, ${prefix}numericOps); `;
    for (const { at, name } of roots.names) if (at !== undefined) s.appendLeft(at, ` ;${marks(name)}`);
    for (const { at, name } of roots.inner) s.appendLeft(at, ` ;${marks(name)}`);
    const ops = options.ops ?? { module: from, name: 'defaultOps' };
    const source = JSON.stringify({
      file,
      ...(options.frames === false || text === undefined ? {} : { source: text }),
    });
    const names = [...helpers].map(([name, local]) => `${name}: ${local}`).join(', ');
    start.push(
      `import { ${marking.map((name) => `${name} as ${prefix}${name}`).join(', ')} } from '${from}'; `,
      `import { ${ops.name} as ${prefix}numericOps } from '${ops.module}'; `,
      `const { ${names} } = ${prefix}bindOps(${prefix}numericOps, ${source}); `,
      ...roots.names.flatMap(({ name, at }) => (at === undefined ? [marks(name)] : [])),
    );
  }
  if (functions.length > 0) start.push(`import { keep as ${prefix}keep } from '${from}'; `);
  for (const f of functions)
    keepFunction(s, prefix, f, spelled(parsed, f, options.original), placeOf(parsed, f, options));
  s.appendLeft(startOf(parsed.program), start.join(''));
  return { code: s.toString(), map: s.generateMap({ source: file, includeContent: true, hires: 'boundary' }) };
};

/** The options of a plugin, or of `transform` itself, checked. */
export const transformOptions = (what: string, given: TransformOptions | undefined): TransformOptions =>
  checkOptions(what, given, transformSpec);

/** The module from which rewritten code takes what it calls. */
export const helpersOf = ({ helpers = '@filigree/lang/runtime' }: TransformOptions): string => helpers;

const transformSpec: OptionSpec<TransformOptions> = {
  helpers: option.text,
  ops: optionsOf<NonNullable<TransformOptions['ops']>>({ module: option.text, name: option.text }),
  modules: optionKind('a regular expression', (x) => x instanceof RegExp),
  frames: option.truth,
  original: option.object('{ map, text }', 'map'),
};

/* Where the first statement stands that is no directive. */
const startOf = (program: Program): number =>
  program.body.find((statement) => !(statement.type === 'ExpressionStatement' && statement.directive))?.start ?? 0;

const markMethods = (s: MagicString, text: string, prefix: string, { holder, own, ofInstances }: Methods): void => {
  const call = (of: string, names: readonly string[]): string =>
    `${prefix}markMembers(${of}, ${prefix}numericOps${names.map((name) => `, ${JSON.stringify(name)}`).join('')})`;
  if (holder.type === 'ObjectExpression') {
    const [before, after] = call('\u0000', own).split('\u0000');
    return insertAround(s, text, holder, before, after);
  }
  if (own.length > 0) s.appendLeft(holder.end - 1, ` static { ${call('this', own)}; } `);
  if (ofInstances.length > 0) s.appendLeft(holder.end - 1, ` static { ${call('this.prototype', ofInstances)}; } `);
};

/* Names are read where they mean what they mean in the function, and only when a kernel is compiled. */
const keepFunction = (
  s: MagicString,
  prefix: string,
  { node, uses, declared }: KeptFunction,
  { text, sure, names }: Written,
  at: Loc | undefined,
): void => {
  const scope = `{ ${uses.map((name) => `get ${name}() { return ${name}; }`).join(', ')} }`;
  const place = `, ${sure}, ${at ? JSON.stringify(at) : 'undefined'}`;
  const tree = parsedBefore(text);
  const parsed = tree || names ? `, ${tree ? quoted(textOfTree(tree)) : 'undefined'}` : '';
  const called = names ? `, ${JSON.stringify(names)}` : '';
  const rest = `, ${JSON.stringify(text)}, ${scope}${place}${parsed}${called})`;
  if (declared) s.appendLeft(declared.end, `; ${prefix}keep(${declared.name}${rest};`);
  else insertAround(s, s.original, node, `${prefix}keep(`, rest);
};

/** A text in single quotes, since it has double ones. */
const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

/** The tree of a function's text, as whoever reads it parses it; nothing where that would end in an error, which is reported there. */
const parsedBefore = (text: string): Tree | undefined => {
  const whole = asExpression(text);
  try {
    return treeOf(whole, byAcorn(whole).program);
  } catch (e) {
    if (e instanceof SyntaxError) return undefined;
    throw e;
  }
};

/** Where a function stands, unless the text was printed anew: then its lines may be others. */
const placeOf = (parsed: Parsed, { start }: KeptFunction, { original, frames }: TransformOptions): Loc | undefined =>
  original || frames === false ? undefined : locOf({ file: parsed.source.file }, parsed.site(start));

/** A function's text. Tools that strip types print numerals anew: they are taken from what its author wrote. */
const spelled = (
  parsed: Parsed,
  { node, start, declared }: KeptFunction,
  original: TransformOptions['original'],
): Written => {
  const text = parsed.text.slice(start, node.end);
  if (!original) return { text, sure: true, found: true };
  if (original.text === undefined) return { text, sure: false, found: false };
  const { line, column } = locOf({ file: '' }, parsed.site(start));
  return asWrittenIn(text, original.text, { name: declared?.name ?? '', line, column });
};

/** Places in the text before its types were stripped. */
const relocation = (map: string | object | undefined): ((line: number, column: number) => Site) => {
  if (map === undefined) return siteOf;
  const trace = new TraceMap(map as SourceMapInput);
  return (line, column) => {
    const original = originalPositionFor(trace, { line, column: column - 1 });
    return original.line === null ? siteOf(line, column) : siteOf(original.line, original.column + 1);
  };
};
