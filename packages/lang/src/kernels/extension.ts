import { extensionText, fail, opTable, type Attrs, type Dialect, type Extension } from '@filigree/ir';

declare module '@filigree/ir' {
  interface Extension {
    /** Words of the kernel language, by the name that messages call them. */
    readonly intrinsics?: Readonly<Record<string, Word>>;
  }
}

/** A function that kernels call and that becomes one op of the extension's dialects. Kernels know it by the function, whatever it is called. */
export interface Word {
  /** What it gives on the host, of as many numbers as it has parameters. */
  readonly fn: (...args: number[]) => number;
  /** The op: of as many operands of one type, and one result of that type. */
  readonly op: string;
  readonly attrs?: Attrs;
  /** The types that it takes; default floats. */
  readonly takes?: 'floats' | 'integers';
  /** What derivatives of kernels are made of. */
  readonly derivative?: Derivative;
}

/** The derivative of a word, as data: this package keeps it for whoever differentiates kernels. */
export interface Derivative {
  /** Of each parameter the partial derivative: a function of all of them, which kernels can call as they call any other. */
  readonly partials: readonly ((...args: number[]) => number)[];
}

/** The words of extensions, by their functions. */
export const wordsOf = (
  extensions: readonly Extension[],
): ReadonlyMap<unknown, readonly [name: string, word: Word, by: Extension]> =>
  new Map(
    extensions.flatMap((by) => Object.entries(by.intrinsics ?? {}).map(([name, word]) => [word.fn, [name, word, by]])),
  );

/** Refuses with `extension/word` a word whose op nobody brings. */
export const checkWords = (extensions: readonly Extension[], dialects: readonly Dialect[]): void => {
  const table = opTable(dialects);
  for (const [name, { op }, by] of wordsOf(extensions).values())
    if (!table.has(op))
      fail(
        'extension/word',
        `the word '${name}' of extension ${extensionText(by)} becomes '${op}', which no dialect has`,
        {
          remedy: 'bring the dialect of that op along: { dialects: [d], intrinsics: { … } }',
        },
      );
};
