import {
  coreDialects,
  definePass,
  type Attrs,
  type Dialect,
  type Module,
  type Pass,
  type PassFactory,
} from '@filigree/ir';

/** The factory of a pass on core dialects. */
export interface CorePass<O extends Attrs> {
  /** The pass; `dialects` are those it should know, by default the core ones. Throws `DiagnosticError` `pass/option` on a wrong option. */
  (options?: Partial<O> & { readonly dialects?: readonly Dialect[] }): Pass<Module>;
  /** The factory for a pipeline's text, which names options only. */
  readonly over: (dialects: readonly Dialect[]) => PassFactory<Module, O>;
}

/** A factory from a name, the defaults of all options, and the pass for given dialects and options. */
export const corePass = <O extends Attrs>(
  name: string,
  defaults: O,
  make: (dialects: readonly Dialect[], options: O) => (module: Module) => Module,
): CorePass<O> => {
  const over = (dialects: readonly Dialect[]): PassFactory<Module, O> =>
    definePass<Module, O>(name, defaults, (module, options) => make(dialects, options)(module));
  const factory = (options: Partial<O> & { readonly dialects?: readonly Dialect[] } = {}): Pass<Module> => {
    const { dialects = coreDialects, ...rest } = options;
    return over(dialects)(rest as unknown as Partial<O>);
  };
  return Object.assign(factory, { over });
};
