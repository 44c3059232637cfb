/** What programs are kept by between processes, and what compilers begin with before all is lowered: loaded where a backend has such. */
export const loadKeeping = (): Promise<typeof import('../program/keeping.js') | undefined> =>
  import('../program/keeping.js');

export const loadAhead = (): Promise<typeof import('../program/lower-ahead.js') | undefined> =>
  import('../program/lower-ahead.js');

export { codeElsewhere } from '../away/elsewhere.js';
