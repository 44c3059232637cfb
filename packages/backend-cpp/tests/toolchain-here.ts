import { cpp } from '@filigree/backend-cpp';

/** Whether a C++ compiler works here. Where CI=true it must: then the lack of one fails the file instead of skipping it. */
export const toolchainHere = async (): Promise<boolean> => {
  const { usable, reason } = await cpp().probe();
  if (!usable && process.env['CI'] === 'true') throw new Error(reason);
  return usable;
};
