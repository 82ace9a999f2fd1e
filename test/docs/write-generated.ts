import { writeFileSync } from 'node:fs';
import { generated } from './generated.ts';
import { root } from '@eaas/test-kit/markdown';

for (const [path, text] of Object.entries(generated())) writeFileSync(root + path, text);
