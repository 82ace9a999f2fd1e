import { execFileSync } from 'node:child_process';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '@eaas/test-kit/markdown';

// Follows the imports without those that the code loads on demand. A process of its own, because this one resolves the
// sources of the packages.
const program = `
  const { readFileSync } = require('node:fs');
  const { createRequire, isBuiltin } = require('node:module');
  const files = new Set([require.resolve('@eaas/sdk')]);
  for (const file of files)
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/^(?:import|export) .*?from ["'](.+?)["'];$/gm))
      if (!isBuiltin(name)) files.add(createRequire(file).resolve(name));
  console.log(JSON.stringify([...files]));`;

test('at its start, Node reads at most 40 files for the client, all of the SDK, the protocol and ky', () => {
  const read = execFileSync(process.execPath, ['--eval', program], { cwd: root, encoding: 'utf8' });
  const files = (JSON.parse(read) as string[]).map((file) => relative(root, file));
  expect(files).toContain('packages/protocol/dist/engines/node.js');
  expect(
    files.filter(
      (file) => !/^(?:packages\/(?:sdk|protocol)\/dist|node_modules\/ky\/distribution)\//.test(file),
    ),
  ).toEqual([]);
  expect(files.length).toBeLessThanOrEqual(40);
});
