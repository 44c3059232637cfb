import { fail } from '@filigree/ir';

/** What stands at an address. Errors: `file/missing`, `file/unreadable`. */
export const fetched = async (url: string): Promise<Uint8Array> => {
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
