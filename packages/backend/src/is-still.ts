import type { Backend } from './contract.js';

/** Whether a backend is one as it was made: what keeps its results, or begins it again elsewhere, must not serve one whose parts are replaced. */
export const isStill =
  (made: Backend) =>
  (backend: Backend): boolean =>
    backend.legalize === made.legalize &&
    backend.emit === made.emit &&
    backend.compile === made.compile &&
    backend.load === made.load &&
    backend.sharing === made.sharing;
