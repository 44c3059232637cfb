import {
  checkOptions,
  coreDialects,
  definePass,
  option,
  type Attrs,
  type Dialect,
  type Module,
  type OptionKind,
  type Pass,
  type PassFactory,
} from '@filigree/ir';

/** The factory of a pass on core dialects. */
export interface CorePass<O extends Attrs> {
  /** The pass; `dialects` are those it should know, by default the core ones. Throws what `checkOptions` does on a wrong option. */
  (options?: Partial<O> & { readonly dialects?: readonly Dialect[] }): Pass<Module>;
  /** The factory for a pipeline's text, which names options only. */
  readonly over: (dialects: readonly Dialect[]) => PassFactory<Module, O>;
}

/**
 * A factory from a name, the defaults of all options, and the pass for given dialects and options. Numbers are whole ones
 * from 0, or from what `least` says.
 */
export const corePass = <O extends Attrs>(
  name: string,
  defaults: O,
  make: (dialects: readonly Dialect[], options: O) => (module: Module) => Module,
  least: Partial<Readonly<Record<keyof O & string, number>>> = {},
): CorePass<O> => {
  const spec = Object.fromEntries(
    Object.entries(defaults).map(([key, value]) => [
      key,
      typeof value === 'number' ? option.whole(least[key] ?? 0) : option.truth,
    ]),
  ) as Readonly<Record<keyof O & string, OptionKind>>;
  const over = (dialects: readonly Dialect[]): PassFactory<Module, O> =>
    definePass<Module, O>(name, defaults, (module, options) => make(dialects, options)(module), spec);
  const factory = (options?: Partial<O> & { readonly dialects?: readonly Dialect[] }): Pass<Module> => {
    const { dialects = coreDialects, ...rest } = checkOptions<Readonly<Record<string, unknown>>>(
      `pass '${name}'`,
      options,
      {
        ...spec,
        dialects: option.array('a list of dialects'),
      },
    );
    return over(dialects as readonly Dialect[])(rest as Partial<O>);
  };
  return Object.assign(factory, { over });
};
