/** The next multiple of a number. */
export const align = (x: number, to: number): number => Math.ceil(x / to) * to;
