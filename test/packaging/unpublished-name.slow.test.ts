import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { run } from '@eaas/test-kit/program';

// A registry in which somebody else has published a package under the name of ours.
const place = await newDirectory();
const folder = join(place, 'app');
const ran = join(place, 'ran');
const name = '@eaas/cli';
const registry = createServer((request, response) => {
  if (request.url?.endsWith('.tgz')) return response.end(readFileSync(join(place, 'eaas-cli-9.0.0.tgz')));
  const { port } = registry.address() as AddressInfo;
  const dist = { tarball: `http://127.0.0.1:${port}/eaas-cli-9.0.0.tgz` };
  const manifest = { name, version: '9.0.0', bin: { eaas: 'eaas.js' }, dist };
  response.setHeader('content-type', 'application/json');
  return response.end(
    JSON.stringify({ name, 'dist-tags': { latest: '9.0.0' }, versions: { '9.0.0': manifest } }),
  );
});

const foreign = join(place, 'foreign');
mkdirSync(foreign);
mkdirSync(folder);
writeFileSync(
  join(foreign, 'package.json'),
  JSON.stringify({ name, version: '9.0.0', bin: { eaas: 'eaas.js' } }),
);
const program = `#!/usr/bin/env node\nrequire('node:fs').writeFileSync(${JSON.stringify(ran)}, '');\n`;
writeFileSync(join(foreign, 'eaas.js'), program);
await promisify(execFile)('npm', ['pack', '--pack-destination', place], { cwd: foreign });
registry.listen(0, '127.0.0.1');
await once(registry, 'listening');

afterAll(() => void registry.close());

const type = (...command: string[]) => {
  const { port } = registry.address() as AddressInfo;
  // `npm run --silent` would pass its level on.
  const env = {
    npm_config_registry: `http://127.0.0.1:${port}`,
    npm_config_cache: join(place, 'cache'),
    npm_config_loglevel: 'error',
  };
  return run(command, env, { cwd: folder });
};

test('outside an installation, the documented command fetches and runs nothing', async () => {
  const { code, stderr } = await type('npx', '--no-install', name, 'tenant', 'list');
  expect(code).not.toBe(0);
  expect(stderr).toContain('npx canceled due to missing packages');
  expect(existsSync(ran)).toBe(false);
});

test('without --no-install, npx runs whatever has the name', async () => {
  expect(await type('npx', '--yes', name, 'tenant', 'list')).toMatchObject({ code: 0 });
  expect(existsSync(ran)).toBe(true);
});
