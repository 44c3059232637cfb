import { readFile } from 'node:fs/promises';
import { fail } from '@filigree/ir';
import { fetched as fromAddress } from './fetched.js';

/** What stands in a file, by its path or `file:` address, or at another address. Errors: `file/missing`, `file/unreadable`. */
export const fetched = async (url: string): Promise<Uint8Array> => {
  if (ELSEWHERE.test(url)) return fromAddress(url);
  try {
    return await readFile(url.startsWith('file:') ? new URL(url) : url);
  } catch (e) {
    const { code } = e as { code?: string };
    return code === 'ENOENT'
      ? fail('file/missing', `there is no file '${url}'`, {
          remedy: 'check the path; it is relative to the current folder',
        })
      : fail('file/unreadable', `'${url}' cannot be read (${code ?? String(e)})`, { remedy: 'check its permissions' });
  }
};

/** Addresses that say how they are reached, and are no files. A single letter is a drive. */
const ELSEWHERE = /^(?!file:)[a-z][a-z\d+.-]+:/i;
