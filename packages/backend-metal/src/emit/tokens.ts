import { type Tokens, cppTokens, statusCodes } from '@filigree/backend';

/** The words of the Metal Shading Language, of which all functions take whatever float they are given. */
export const metalTokens: Tokens = {
  ...cppTokens,
  long: 'L',
  library: (name) => name,
  nan: () => 'NAN',
  infinity: () => 'INFINITY',
  entry: '',
  status: 'device int* status',
  /* One of the codes is left there, whoever comes last. */
  trap: (what) => `*status = ${statusCodes[what]};`,
};
