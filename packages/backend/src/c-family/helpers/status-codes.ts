/**
 * What an entry point returns: 0 if all went well, else the code of one of the traps that occurred; the results must
 * then not be used.
 */
export const statusCodes = { divisionByZero: 1, step: 2, bounds: 3 } as const;
