import { fail } from '@filigree/ir';
import { readBytesSync } from 'filigree';
import { readMesh, type Mesh } from '../meshes/index.js';

/** The `key=value` arguments of an example, each checked as it is asked for. */
export interface Arguments {
  /** A whole number from `least` to `most`. */
  readonly integer: (key: string, otherwise: number, least: number, most: number) => number;
  readonly word: <W extends string>(key: string, otherwise: W, words: readonly W[]) => W;
  readonly text: (key: string, otherwise: string) => string;
  /** The mesh of `mesh=FILE`, if there is one. `.gz` is unpacked; elements without area or volume are left out. */
  readonly mesh: () => Mesh | undefined;
}

/** Reads arguments of which only `known` may occur. Fails with `example/argument` or what reading the mesh finds. */
export const argumentsOf = (args: Readonly<Record<string, string>>, known: readonly string[]): Arguments => {
  for (const key of Object.keys(args))
    if (!known.includes(key)) refuse(`there is no argument '${key}'`, `use ${known.join(', ') || 'no arguments'}`);
  if (args.mesh !== undefined && args.n !== undefined)
    refuse("'mesh' and 'n' were both given", 'a mesh file has its own size: leave one out');
  return {
    integer: (key, otherwise, least, most) => {
      const value = args[key] === undefined ? otherwise : Number(args[key]);
      if (Number.isInteger(value) && value >= least && value <= most) return value;
      return refuse(`'${key}' is '${args[key]}'`, `give a whole number from ${least} to ${most}`);
    },
    word: (key, otherwise, words) => {
      const value = args[key];
      if (value === undefined) return otherwise;
      return words.find((w) => w === value) ?? refuse(`'${key}' is '${value}'`, `give one of ${words.join(', ')}`);
    },
    text: (key, otherwise) => args[key] ?? otherwise,
    mesh: () => (args.mesh === undefined ? undefined : meshFile(args.mesh)),
  };
};

/** A mesh from a file, which may be packed by gzip. */
export const meshFile = (file: string): Mesh =>
  readMesh(file.replace(/\.gz$/, ''), readBytesSync(file), { degenerate: 'drop' });

const refuse = (message: string, remedy: string): never => fail('example/argument', message, { remedy });
