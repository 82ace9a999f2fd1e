import { chmod, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { embeddedBinaries } from '../../packages/dev/src/binaries.ts';
import { installedBinaries } from './installed-binaries.ts';

async function pathWith(programs: Record<string, string>): Promise<string> {
  const directory = await newDirectory();
  for (const [name, output] of Object.entries(programs)) {
    await writeFile(join(directory, name), `#!/bin/sh\n${output}\n`);
    await chmod(join(directory, name), 0o755);
  }
  return directory;
}

test('the embedded PostgreSQL runs', async () => {
  const { version, postgres, initdb } = await embeddedBinaries();
  expect(Number.parseInt(version, 10)).toBeGreaterThanOrEqual(18);
  expect(dirname(postgres)).toBe(dirname(initdb));
});

test('an installed PostgreSQL is found through a link', async () => {
  const { postgres } = await embeddedBinaries();
  const path = await pathWith({});
  await symlink(postgres, join(path, 'postgres'));
  expect(await installedBinaries(`/nowhere::${path}`)).toMatchObject({ postgres });
});

test('the search for PostgreSQL skips unsuitable programs', async () => {
  const version = (number: string): string => `echo "postgres (PostgreSQL) ${number}"`;
  const old = await pathWith({ postgres: version('13.11'), initdb: version('13.11') });
  const broken = await pathWith({ postgres: 'exit 127', initdb: version('16.1') });
  const alone = await pathWith({ postgres: version('16.1') });
  const other = await pathWith({ postgres: 'echo 16.1', initdb: 'echo 16.1' });
  const good = await pathWith({ postgres: version('16.1'), initdb: version('16.1') });
  const found = await installedBinaries([old, broken, alone, other, good].join(':'));
  expect(found).toMatchObject({ version: '16.1', postgres: join(good, 'postgres') });
});

test('`postgres --version` does not get secrets from the environment of the tests', async () => {
  process.env['EAAS_ROOT_KEY'] = 'a secret';
  onTestFinished(() => void delete process.env['EAAS_ROOT_KEY']);
  const telling = 'env > "$0.env"; echo "postgres (PostgreSQL) 16.1"';
  const path = await pathWith({ postgres: telling, initdb: telling });
  expect(await installedBinaries(path)).toMatchObject({ postgres: join(path, 'postgres') });
  for (const program of ['postgres', 'initdb']) {
    const environment = await readFile(join(path, `${program}.env`), 'utf8');
    expect(environment).toContain('PATH=');
    expect(environment).not.toContain('EAAS_ROOT_KEY');
  }
});
