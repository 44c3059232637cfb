import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { skipsPage } from './skips-page.js';

/* The command `npm run conformance:page`. */
const file = fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url));
writeFileSync(file, (await format(file, skipsPage())).code);
console.log(file);
