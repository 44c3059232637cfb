import { readsOf, type Read } from '../read/program.js';
import { Divisions } from './divisions.js';
import type { Recurrences } from './recurrences.js';
import { sourcesOf, type Source } from './sources.js';

/** The numbers of loads whose value is used where what they read was overwritten: `t = x[i]; x[i] = x[j]; x[j] = t`. */
export const hoistedLoads = ({ program, equations }: Recurrences): readonly number[] => {
  const written = new Set(program.statements.map((s) => s.write.array));
  return equations.flatMap(({ statement, sources: known, divisions: own }) =>
    readsOf(statement.value).flatMap((read) => {
      if (read.load === undefined || !written.has(read.array)) return [];
      const divisions = new Divisions(statement.iterators.length);
      const sources = (r: Read): readonly Source[] => sourcesOf(program, statement, r, divisions);
      const used = sources({ ...read, place: statement.place });
      /* Sources are written in one way only among the same divisions. */
      const isAlike = divisions.all.length === 0 && own.all.length === 0;
      const loaded = isAlike ? known.get(read) : sources(read);
      return JSON.stringify(used) === JSON.stringify(loaded) ? [] : [read.load];
    }),
  );
};
