/** The name, or with a number behind it the first that is not taken; takes it. */
export const uniqueName = (name: string, taken: Set<string>): string => {
  let result = name;
  for (let i = 2; taken.has(result); i++) result = `${name}_${i}`;
  taken.add(result);
  return result;
};
