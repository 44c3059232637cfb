import type { Line, Writer } from '../writer.js';

/*
 * Compilers take time that grows faster than the length of straight code: over 5,000 statements gcc spends most of it in
 * the allocation of registers. Blocks with shorter stretches between loops than the first stay as they are: loops are
 * allocated for themselves, and what pieces share goes through memory.
 */
const longestStretch = 96_000;
const chunkLength = 24_000;
/* A loop with calls in it is not put on lanes, which costs more than it saves: on lanes time grows slower. */
const longestOnLanes = 2 * longestStretch;

/**
 * Cuts the lines of a very long block, those from the `start`th on, into chunks that the compiler takes one by one.
 * `ends` says where statements end. What one chunk declares and another uses, or `after` (the text that follows the
 * block), is declared before the chunks. Linear in the length of the block.
 */
export const inChunks = (w: Writer, start: number, ends: readonly number[], after: readonly string[]): void => {
  const { chunk } = w.shared.dialect;
  if (!chunk || stretch(w, start) <= (w.shared.lanes ? longestOnLanes : longestStretch)) return;
  const lines = w.lines.splice(start);
  const chunks = cut(
    lines,
    ends.map((end) => end - start),
    w.flags.loops,
  );
  const shared = sharedNames(chunks, after);
  const indent = '  '.repeat(w.flags.depth);
  const loops = w.flags.loops + 1;
  const add = (text: string): void => void w.lines.push({ text: indent + text, loops });
  for (const { declares } of lines)
    if (declares && shared.has(declares.name)) add(`${declares.type} ${declares.name};`);
  for (const inside of chunks) {
    add(chunk.open);
    for (const l of inside) {
      const { declares } = l;
      if (!declares || !shared.has(declares.name)) w.lines.push({ text: `  ${l.text}`, loops });
      else if (declares.value !== undefined) add(`  ${declares.name} = ${declares.value};`);
    }
    add(chunk.close);
  }
};

/** The length of the longest stretch without a loop, or a chunk of a block within. */
const stretch = (w: Writer, start: number): number => {
  let [longest, length] = [0, 0];
  for (let k = start; k < w.lines.length; k++) {
    const { text, loops } = w.lines[k]!;
    length = loops > w.flags.loops ? 0 : length + text.length;
    longest = Math.max(longest, length);
  }
  return longest;
};

const cut = (lines: readonly Line[], ends: readonly number[], loops: number): readonly (readonly Line[])[] => {
  const chunks: Line[][] = [];
  let chunk: Line[] = [];
  let [from, length] = [0, 0];
  for (const end of [...ends, lines.length]) {
    for (let k = from; k < end; k++) {
      chunk.push(lines[k]!);
      if (lines[k]!.loops === loops) length += lines[k]!.text.length;
    }
    from = end;
    if (length < chunkLength && end < lines.length) continue;
    length = 0;
    if (chunk.length > 0) chunks.push(chunk);
    chunk = [];
  }
  return chunks;
};

/** Names that a chunk declares and something after it mentions. */
const sharedNames = (chunks: readonly (readonly Line[])[], after: readonly string[]): ReadonlySet<string> => {
  const home = new Map<string, number>();
  const shared = new Set<string>();
  const mentioned = (text: string, place: number): void => {
    for (const word of text.match(/[A-Za-z_]\w*/g) ?? []) if ((home.get(word) ?? place) !== place) shared.add(word);
  };
  chunks.forEach((chunk, place) => {
    for (const l of chunk) {
      mentioned(l.text, place);
      if (l.declares) home.set(l.declares.name, place);
    }
  });
  for (const text of after) mentioned(text, chunks.length);
  return shared;
};
