// Random values are the same in each run of `npm test`, and others in each of `npm run test:all`.
import * as fc from 'fast-check';
import { inject } from 'vitest';

if (!inject('everyCase')) fc.configureGlobal({ seed: 1 });
