import type { TeamSpelling } from '../dialect.js';
import { type Writer, line } from '../writer.js';

/**
 * A statement that changes memory, in code that all threads of a team go through: one does it. It needs no other to wait before it does the
 * next.
 */
export const byTheFirst = (w: Writer, text: string, team: TeamSpelling): void => {
  const first = `${'  '.repeat(w.flags.depth)}if (${team.thread} == 0) `;
  barrier(w, team);
  if (w.lines.at(-2)?.text.startsWith(first)) w.lines.pop();
  line(w, `${first.trimStart()}${text}`);
  barrier(w, team);
};

/** All wait for one another, unless they just have. */
export const barrier = (w: Writer, team: TeamSpelling): void => {
  if (w.lines.at(-1)?.text.trim() !== team.barrier) line(w, team.barrier);
};
