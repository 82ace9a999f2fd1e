import { rmSync } from 'node:fs';
import { root } from '@eaas/test-kit/markdown';
import { reference, writeReference } from './reference.ts';

rmSync(root + reference, { recursive: true, force: true });
const complaints = await writeReference(root + reference);
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
process.exitCode = complaints.length > 0 ? 1 : 0;
