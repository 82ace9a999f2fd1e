import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
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
async function advisories(): Promise<string[] | undefined> {
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
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
