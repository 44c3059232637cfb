import type { Line, Writer } from '../writer.js';

/*
 * Compilers take time that grows faster than the length of straight code: over 5,000 statements gcc spends most of it in
 * the allocation of registers. Blocks with shorter stretches between loops than the first stay as they are: loops are
 * allocated for themselves, and what pieces share goes through memory.
 */
const longestStretch = 96_000;
const chunkLength = 24_000;
/*
 * Loops one after the other: what gcc does to remove partial redundancies asks each load about all stores before it. 400 loops that gather and
 * scatter took 13 s of the processor, and 1,200 took 66. No sequence of loops of a tensor program is so long.
 */
const mostLoops = 96;
const chunkLoops = 48;
/* A loop with calls in it is not put on lanes, which costs more than it saves: on lanes time grows slower. */
const longestOnLanes = 2 * longestStretch;

/**
 * Cuts the lines of a very long block, those from the `start`th on, into chunks that the compiler takes one by one.
 * `ends` says where statements end. What one chunk declares and another uses, or `after` (the text that follows the
 * block), is declared before the chunks. Linear in the length of the block.
 */
export const inChunks = (w: Writer, start: number, ends: readonly number[], after: readonly string[]): void => {
  const { chunk } = w.shared.dialect;
  if (!chunk) return;
  const { straight, loops: inARow } = extent(w, start);
  if (straight <= (w.shared.lanes ? longestOnLanes : longestStretch) && inARow <= mostLoops) return;
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

/** The length of the longest stretch of a block without a loop, or a chunk of a block within, and how many there are of these. */
const extent = (w: Writer, start: number): { readonly straight: number; readonly loops: number } => {
  let [longest, length, loops] = [0, 0, 0];
  let inside = false;
  for (let k = start; k < w.lines.length; k++) {
    const line = w.lines[k]!;
    const within = line.loops > w.flags.loops;
    if (within && !inside) loops++;
    inside = within;
    length = within ? 0 : length + line.text.length;
    longest = Math.max(longest, length);
  }
  return { straight: longest, loops };
};

const cut = (lines: readonly Line[], ends: readonly number[], loops: number): readonly (readonly Line[])[] => {
  const chunks: Line[][] = [];
  let chunk: Line[] = [];
  let [from, length, nested] = [0, 0, 0];
  for (const end of [...ends, lines.length]) {
    let within = false;
    for (let k = from; k < end; k++) {
      const line = lines[k]!;
      chunk.push(line);
      if (line.loops === loops) length += line.text.length;
      else within = true;
    }
    if (within) nested++;
    from = end;
    if (length < chunkLength && nested < chunkLoops && end < lines.length) continue;
    [length, nested] = [0, 0];
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
