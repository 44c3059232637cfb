/** The shortest text that `Number` reads back as the same number, -0 told apart from 0; other values as `String` writes them. */
export const exactText = (x: unknown): string => (Object.is(x, -0) ? '-0' : String(x));
