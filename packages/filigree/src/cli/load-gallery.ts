import { fail } from '@filigree/ir';
import type { Example, Gallery } from '../gallery.js';
import { workspace } from './workspace.js';

/**
 * The gallery of examples: the module that `$FILIGREE_GALLERY` names, else that of the repository. Error:
 * `run/no-gallery` where there is none, as in an installed package.
 */
export const loadGallery = async (): Promise<Gallery> => {
  const named = process.env['FILIGREE_GALLERY'];
  const module = await workspace<{ readonly gallery?: Gallery }>(named ?? '@filigree/e2e');
  if (typeof module === 'object' && module.gallery) return module.gallery;
  return fail(
    'run/no-gallery',
    `there are no gallery examples here (${typeof module === 'string' ? module : 'the module has no gallery'})`,
    { remedy: 'they belong to the repository of filigree: clone it, then npm ci && npm run build' },
  );
};

/** An example by name. Error: `run/unknown-example`. */
export const exampleOf = (gallery: Gallery, name: string): Example =>
  Object.hasOwn(gallery, name)
    ? gallery[name]
    : fail('run/unknown-example', `there is no example '${name}'`, {
        remedy: `filigree run --list lists them: ${Object.keys(gallery).join(', ')}`,
      });
