import { fail, checkOptions } from '@filigree/ir';
import { build } from './build.js';
import { compileSpec, type CompileOptions } from './compile.js';
import { compiledProgram, type CompiledProgram } from './compiled-program.js';
import { expressionProblem, type Binding } from './expression.js';
import { backendFor } from './session.js';

/** How an expression is compiled. */
export type ExpressionOptions = Omit<CompileOptions, 'scope' | 'at'>;

/**
 * Compiles an expression of sparse algebra, such as `L*M*L'+K`, for exactly the patterns of the matrices bound to its
 * names. Each matrix is an input of its name, already holding the values given; the result is the output `result`.
 * Numbers are constants of the program. Rejects with a `DiagnosticError`: `expr/…`, `csr/…`, `runtime/backend`.
 */
export const compileExpression = async (
  text: string,
  bindings: Readonly<Record<string, Binding>>,
  given?: ExpressionOptions,
): Promise<CompiledProgram> => {
  const options = checkOptions<ExpressionOptions>('compileExpression', given, compileSpec);
  if (typeof text !== 'string' || typeof bindings !== 'object' || bindings === null)
    fail('program/form', 'an expression is a text, and its names are bound by an object', {
      remedy: 'write compileExpression("A\'*A", { A })',
    });
  const { program } = expressionProblem(text, bindings);
  const compiled = compiledProgram(await build(program, { ...options, backend: await backendFor(options) }));
  for (const name of Object.keys(compiled.inputs)) {
    const b = bindings[name];
    if (typeof b === 'object') compiled.set(name, b.values);
  }
  return compiled;
};
