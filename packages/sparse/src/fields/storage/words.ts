import { isWide, type ScalarType } from '@filigree/ir';
import type { FieldDecl } from '../layout/field-decl.js';
import { ambientWordOf } from '../layout/ambient.js';
import type { SNode } from '../layout/layout.js';
import { storedType } from '../layout/stored-type.js';
import { withValues } from './codes.js';
import type { Storage } from './storage.js';

/** A word of a cell: a number in memory, of one field or of several. */
export interface Word {
  /** Bytes from the start of the cell. */
  readonly offset: number;
  readonly type: ScalarType;
  /** What it holds before anything was written. */
  readonly ambient: number | bigint;
}

/** The words of fields in a cell of a node, each once; those of a bit array in the cell around it. */
export const wordsIn = ({ layout, nodes }: Pick<Storage, 'layout' | 'nodes'>, { children }: SNode): readonly Word[] => {
  const places = children.map((c) => layout.nodes[c]).filter((n) => n.field);
  return places
    .filter(({ field, stored }) => !stored?.inArray && (!stored || stored.elements || stored.word === field!.name))
    .map((first) => ({
      offset: nodes[first.id].offset,
      type: storedType(first),
      ambient: first.stored?.elements
        ? ambientWordOf(first.stored.elements, first.stored.wordBits)
        : first.stored
          ? ambientWord(places, first.stored.word)
          : plain(first.field!),
    }));
};

/** Whether a word is all zeros before anything was written. */
export const isZero = ({ ambient }: Word): boolean => Object.is(Number(ambient), 0);

const plain = ({ type, ambient }: FieldDecl): number | bigint => (isWide(type) ? BigInt(ambient) : ambient);

const ambientWord = (places: readonly SNode[], word: string): number | bigint => {
  const writings = places.flatMap(({ field, stored }) =>
    field && stored?.word === word ? [{ field, stored, value: plain(field) }] : [],
  );
  return withValues(writings[0].stored.wordBits === 64 ? 0n : 0, writings);
};
