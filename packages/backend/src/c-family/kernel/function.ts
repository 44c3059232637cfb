import { type Buffer, type Op, byteSize } from '@filigree/ir';
import { declareArrays } from '../dialect.js';
import { type BufferUse, bufferUse } from '../usage.js';
import { type Shared, type Writer, line } from '../writer.js';

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

/** Declares the scratch buffers that these ops use; `shared` stands before the type of those that a team has together. */
export const declareScratch = (w: Writer, ops: readonly Op[], shared?: string): void => {
  const { module, dialect, pointers } = w.shared;
  const use = bufferUse(ops, dialect.spellings);
  const own = module.buffers.filter((b) => b.role === 'scratch' && (use.read.has(b.name) || use.written.has(b.name)));
  const arrays = own.map((b) => ({
    name: pointers.get(b.name)!,
    stored: dialect.stored[b.type] ?? dialect.scalar[b.type]!,
    length: b.length,
    bytes: b.length * byteSize(b.type),
  }));
  if (arrays.length === 0) return;
  if (shared !== undefined)
    for (const a of arrays) line(w, `${shared} ${a.stored} ${a.name}[${Math.max(1, a.length)}];`);
  else for (const l of dialect.scratch?.(arrays) ?? declareArrays(arrays, '', dialect.tokens)) line(w, l);
};

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
