/** What the host gave, for people. */
export const shownValue = (value: unknown): string => {
  if (typeof value === 'string') return `the text '${value}'`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  return ArrayBuffer.isView(value) ? `a ${value.constructor.name}` : Array.isArray(value) ? 'an array' : 'an object';
};
