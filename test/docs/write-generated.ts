import { writeFileSync } from 'node:fs';
import { generated } from './generated.ts';
import { root } from '@eaas/test-kit/markdown';
import { tamperedLog } from './tampered-log.ts';

for (const [path, text] of Object.entries(generated())) writeFileSync(root + path, text);
for (const [name, text] of Object.entries(tamperedLog()))
  writeFileSync(`${root}examples/tampered-log/${name}`, text);
