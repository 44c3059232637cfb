/** Runs before `npm pack` and `npm publish` in a package: puts the repository's licence into it (git ignores the copy). */
import { copyFileSync } from 'node:fs';

copyFileSync(new URL('../../LICENSE', import.meta.url), 'LICENSE');
