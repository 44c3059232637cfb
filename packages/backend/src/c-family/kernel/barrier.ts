import type { TeamSpelling } from '../dialect.js';
import { type Writer, line } from '../writer.js';

/** A statement that changes memory, in code that all threads of a team go through: one does it. */
export const byTheFirst = (w: Writer, text: string, team: TeamSpelling): void => {
  barrier(w, team);
  line(w, `if (${team.thread} == 0) ${text}`);
  barrier(w, team);
};

/** All wait for one another, unless they just have. */
export const barrier = (w: Writer, team: TeamSpelling): void => {
  if (w.lines.at(-1)?.text.trim() !== team.barrier) line(w, team.barrier);
};
