import type { Buffer, Loc } from '@filigree/ir';

/** A text, or the shape of a value that stands there, none of a number; `truth` of a truth value, `text` of the number of a text among these. */
export type NotePart =
  | string
  | { readonly is: 'truth' }
  | { readonly is: 'text'; readonly of: readonly string[] }
  | readonly number[];

/** What a kernel that is debugged writes down for the host to read after a launch. */
export type NoteKind =
  /** What is printed one after the other; of `joined` parts the text that they make together. */
  | { readonly is: 'print'; readonly parts: readonly (NotePart | { readonly joined: readonly NotePart[] })[] }
  /** A condition that did not hold; the values are those of the message, and the indices of the iteration. */
  | { readonly is: 'assert'; readonly message: readonly NotePart[] };

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
