import { fail } from '@filigree/ir';

/** What stands at an address, or in a file where there are files. Errors: `file/missing`, `file/unreadable`. */
export const fetched = async (url: string): Promise<Uint8Array> => {
  const files = filesHere();
  if (files && !ELSEWHERE.test(url)) return inFile(files, url);
  let answer: Response;
  try {
    answer = await fetch(url);
    if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
  } catch (e) {
    return fail('file/unreadable', `'${url}' cannot be fetched (${e instanceof Error ? e.message : String(e)})`, {
      remedy: 'check the address, and that its server allows this page to read it',
    });
  }
  if (answer.status === 404)
    return fail('file/missing', `there is no file '${url}'`, {
      remedy: 'check the address; it is relative to the page',
    });
  return fail('file/unreadable', `'${url}' cannot be fetched (status ${answer.status})`, {
    remedy: 'check the address, and that its server allows this page to read it',
  });
};

/** Addresses that say how they are reached, and are no files. A single letter is a drive. */
const ELSEWHERE = /^(?!file:)[a-z][a-z\d+.-]+:/i;

interface Files {
  readonly readFile: (path: string | URL) => Promise<Uint8Array>;
}

/* Not imported: pages load this, too. */
const filesHere = (): Files | undefined =>
  (globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }).process?.getBuiltinModule?.(
    'node:fs/promises',
  ) as Files | undefined;

const inFile = async (files: Files, path: string): Promise<Uint8Array> => {
  try {
    return await files.readFile(path.startsWith('file:') ? new URL(path) : path);
  } catch (e) {
    const { code } = e as { code?: string };
    return code === 'ENOENT'
      ? fail('file/missing', `there is no file '${path}'`, {
          remedy: 'check the path; it is relative to the current folder',
        })
      : fail('file/unreadable', `'${path}' cannot be read (${code ?? String(e)})`, { remedy: 'check its permissions' });
  }
};
