import { existsSync } from 'node:fs';

/** Where Chromium is, if it is here. */
export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** Whether the tests of pages run: on built packages, where Chromium is; in CI it must be. */
export const pagesAreTested =
  process.env.FILIGREE_BUILT === '1' && (chromiumPath !== undefined || process.env.CI === 'true');

/** How it is started. */
export const launchOptions = { executablePath: chromiumPath ?? '/usr/bin/chromium', args: ['--no-sandbox'] };
