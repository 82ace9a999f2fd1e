import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('the vectors on disk are byte for byte equal to the output of generate.mjs', () => {
  const generator = fileURLToPath(new URL('generate.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [generator, '--check'], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
