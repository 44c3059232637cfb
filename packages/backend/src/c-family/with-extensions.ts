import { extensionText, fail, type Extension } from '@filigree/ir';
import type { CSpelling } from '../extension/extension.js';
import type { CFamilyDialect } from './dialect.js';
import type { HelperNames } from './helpers/helper.js';

/**
 * A language that writes the ops of extensions as these spell them. Error: `extension/clash` where the language writes an op
 * already.
 */
export const withExtensions = <D extends CFamilyDialect>(language: D, extensions: readonly Extension[]): D => {
  const names: HelperNames = {
    scalar: (t) => language.scalar[t]!,
    stored: (t) => language.stored[t] ?? language.scalar[t]!,
    local: language.local,
    ...(language.tokens && { tokens: language.tokens }),
  };
  return extensions.reduce((dialect, extension) => {
    const spelled = Object.entries(extension.spellings ?? {}).flatMap(([op, { c }]): (readonly [string, CSpelling])[] =>
      c ? [[op, c]] : [],
    );
    if (spelled.length === 0) return dialect;
    const twice = spelled.find(([op]) => dialect.spellings[op] !== undefined)?.[0];
    if (twice !== undefined)
      fail(
        'extension/clash',
        `extension ${extensionText(extension)} spells ${twice}, which ${language.name} writes already`,
        {
          remedy: 'leave that spelling out, or make the op one of a dialect of your own',
        },
      );
    const helpers = new Map(spelled.flatMap(([, { helpers = {} }]) => Object.entries(helpers)));
    return {
      ...dialect,
      spellings: { ...dialect.spellings, ...Object.fromEntries(spelled) },
      helper: (name: string) => helpers.get(name)?.(names) ?? dialect.helper(name),
    };
  }, language);
};
