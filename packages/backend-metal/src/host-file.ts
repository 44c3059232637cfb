import { fileURLToPath } from 'node:url';

/** The text of the host, which is compiled where it is to run. It lies beside `src` and `dist`, in both of which this module is at the top. */
export const hostFile = fileURLToPath(new URL('../native/host.m', import.meta.url));
