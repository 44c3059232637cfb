import type { Buffer, Loc } from '@filigree/ir';

/** What a kernel that is debugged writes down for the host to read after a launch. */
export type NoteKind =
  /** Texts, and the shapes of values in between: none of a number. */
  | { readonly is: 'print'; readonly parts: readonly (string | readonly number[])[] }
  /** A condition that did not hold; the values are the indices of the iteration. */
  | { readonly is: 'assert'; readonly message: string | undefined };

/** A place of the kernel that takes notes. */
export type NoteSite = NoteKind & {
  /** How many numbers follow the number of the site. */
  readonly values: number;
  readonly loc: Loc | undefined;
};

/** Buffers in which notes are taken: how many numbers were, and these: of each note its site, counted from 1, and its values. */
export interface Notes {
  readonly count: string;
  readonly numbers: string;
  readonly sites: readonly NoteSite[];
}

/** Numbers that there is room for; what comes later is counted and lost. */
export const ROOM_OF_NOTES = 1 << 16;

/** The buffers of a kernel's notes. */
export const noteBuffers = (notes: Notes | undefined): readonly Buffer[] =>
  notes
    ? [
        { name: notes.count, type: 'i32', length: 1, role: 'inout' },
        { name: notes.numbers, type: 'f64', length: ROOM_OF_NOTES, role: 'inout' },
      ]
    : [];
