import { clothSystemExample } from './cloth-system.js';
import { symmetricDirichletExample } from './symmetric-dirichlet.js';

/** Programs that need derivatives. */
export const DERIVATIVE_EXAMPLES = [clothSystemExample, symmetricDirichletExample];
