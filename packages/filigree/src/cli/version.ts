import { createRequire } from 'node:module';

/** The version of this package, which finds its own description by name wherever a bundler put this file. */
export const version = (): string =>
  (createRequire(import.meta.url)('filigree/package.json') as { readonly version: string }).version;
