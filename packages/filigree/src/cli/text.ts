/** Labelled lines in two columns. */
export const labelled = (rows: readonly (readonly [label: string, value: string])[]): string => {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `${label.padEnd(width)}  ${value}\n`).join('');
};

/** Milliseconds with three digits. */
export const msText = (ms: number): string => `${ms >= 1000 ? ms.toFixed(0) : Number(ms.toPrecision(3))} ms`;

/** A whole number with its thousands apart. */
export const countText = (n: number): string => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ' ');

/** Bytes in a fitting unit. */
export const bytesText = (n: number): string =>
  n < 10_000 ? `${n} B` : n < 1e7 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`;
