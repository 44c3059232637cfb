import { type Buffer, type Op, byteSize } from '@filigree/ir';
import { type ScratchArray, declareArrays } from '../dialect.js';
import { type BufferUse, bufferUse } from '../usage.js';
import { type Shared, type Writer, line, storedName } from '../writer.js';

/** A function as text. */
export interface EmittedFunction {
  /** Result, name and parameters, as in a declaration. */
  readonly head: string;
  /** The definition, with a comment before it. */
  readonly text: string;
}

/** A function whose body has been written. */
export const defined = (what: string, head: string, { lines }: Pick<Writer, 'lines'>): EmittedFunction => ({
  head,
  text: [`// ${what}`, `${head} {`, ...lines.map((l) => l.text), '}', ''].join('\n'),
});

/** The buffers that a function takes as pointers: those it uses, but for scratch, which it declares. */
export const passedBuffers = (s: Shared, use: BufferUse): readonly Buffer[] =>
  s.module.buffers.filter((b) => b.role !== 'scratch' && (use.read.has(b.name) || use.written.has(b.name)));

/** The scratch buffers that something uses. */
export const scratchIn = ({ module }: Shared, use: BufferUse): readonly Buffer[] =>
  module.buffers.filter((b) => b.role === 'scratch' && (use.read.has(b.name) || use.written.has(b.name)));

/** Declares the scratch buffers that these ops use; `shared` stands before the type of those that a team has together. */
export const declareScratch = (w: Writer, ops: readonly Op[], shared?: string): void => {
  const { dialect, pointers } = w.shared;
  const arrays = scratchIn(w.shared, bufferUse(ops, dialect.spellings)).map((b) => ({
    name: pointers.get(b.name)!,
    stored: storedName(w.shared, b),
    length: b.length,
    bytes: b.length * byteSize(b.type),
  }));
  if (arrays.length === 0) return;
  if (shared !== undefined) for (const a of arrays) line(w, sharedArray(shared, a));
  else for (const l of dialect.scratch?.(arrays) ?? declareArrays(arrays, '', dialect.tokens)) line(w, l);
};

/** The declaration of an array that a team shares. */
export const sharedArray = (shared: string, { stored, name, length }: Omit<ScratchArray, 'bytes'>): string =>
  `${shared} ${stored} ${name}[${Math.max(1, length)}];`;

/** What a function does to its buffers, for the comment before it. */
export const effectText = (s: Shared, buffers: readonly Buffer[], use: BufferUse): string => {
  const list = (set: ReadonlySet<string>): string =>
    buffers
      .filter((b) => set.has(b.name))
      .map((b) => s.pointers.get(b.name)!)
      .join(', ');
  const [reads, changes] = [list(use.read), list(use.written)];
  const clauses = [reads && `reads ${reads}`, changes && `changes ${changes}`].filter(Boolean);
  return clauses.length > 0 ? `: ${clauses.join('; ')}.` : '.';
};
