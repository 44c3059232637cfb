import type { Module } from '@filigree/ir';

/** The scratch buffers of a module, as ops name them. */
export const scratchNames = ({ buffers }: Pick<Module, 'buffers'>): ReadonlySet<string> =>
  new Set(buffers.filter((b) => b.role === 'scratch').map((b) => `@${b.name}`));
