import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { read, root } from '@eaas/test-kit/markdown';
import { whereAvailable } from '@eaas/test-kit/available';

interface Locked {
  readonly packages: Readonly<Record<string, { license?: string; dev?: boolean; link?: boolean }>>;
}

interface Audit {
  readonly vulnerabilities?: Readonly<Record<string, { severity: string }>>;
}

/** The licences of dependencies that users may install with ours, without an obligation beyond a notice. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'PostgreSQL',
  'Unlicense',
]);

test('every dependency that users install has a licence of the list', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as Locked;
  const installed = Object.entries(packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link);
  expect(installed.length).toBeGreaterThan(50);
  const others = installed.filter(([, { license = 'none' }]) => !allowed.has(license));
  expect(others.map(([path, { license }]) => `${path}: ${license ?? 'no licence'}`)).toEqual([]);
});

/** The dependencies of users that have a high or critical advisory, or undefined if the registry has no advisories. */
async function advisories(env: NodeJS.ProcessEnv = {}): Promise<string[] | undefined> {
  const options = { cwd: root, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
  const stdout = await promisify(execFile)('npm', ['audit', '--omit=dev', '--json'], options).then(
    (done) => done.stdout,
    (error: { stdout?: string }) => error.stdout ?? '',
  );
  const { vulnerabilities } = JSON.parse(stdout || '{}') as Audit;
  if (vulnerabilities === undefined) return undefined;
  const found = Object.entries(vulnerabilities).filter(([, { severity }]) =>
    /^(?:high|critical)$/.test(severity),
  );
  return found.map(([name, { severity }]) => `${name}: ${severity}`);
}

const known = await advisories();

whereAvailable('the advisories of the npm registry', known !== undefined, () => {
  test('no dependency that users install has a high or critical advisory', () => {
    expect(known).toEqual([]);
  });
});

test.each([
  [200, { fastify: [{ id: 1, severity: 'high', vulnerable_versions: '*' }] }, ['fastify: high']],
  [200, { fastify: [{ id: 1, severity: 'low', vulnerable_versions: '*' }] }, []],
  [405, {}, undefined],
])('a registry that answers %i with %j gives the advisories %j', async (status, answer, expected) => {
  const registry = createServer((request, response) => {
    const isAudit = request.url?.endsWith('/advisories/bulk');
    response.writeHead(isAudit ? status : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isAudit ? answer : {}));
  });
  registry.listen(0, '127.0.0.1');
  onTestFinished(() => void registry.close());
  await once(registry, 'listening');
  const { port } = registry.address() as AddressInfo;
  // npm remembers advisories in its cache.
  const cache = await newDirectory();
  const env = { npm_config_registry: `http://127.0.0.1:${port}`, npm_config_cache: cache };
  const found = await advisories(env);
  expect(found?.filter((each) => each.startsWith('fastify'))).toEqual(expected);
});
