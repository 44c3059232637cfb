import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { skipsPage } from './skips-page.js';

/* The command `npm run conformance:page`. */
const file = fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url));
writeFileSync(file, await format(skipsPage(), { ...(await resolveConfig(file)), parser: 'markdown' }));
console.log(file);
