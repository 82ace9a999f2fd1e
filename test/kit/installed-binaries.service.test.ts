import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { installedBinaries } from './installed-binaries.ts';

test('`postgres --version` does not get secrets from the environment', async () => {
  process.env['EAAS_ROOT_KEY'] = 'a secret';
  onTestFinished(() => void delete process.env['EAAS_ROOT_KEY']);
  const path = await newDirectory();
  for (const program of ['postgres', 'initdb']) {
    await writeFile(join(path, program), '#!/bin/sh\nenv > "$0.env"; echo "postgres (PostgreSQL) 16.1"\n');
    await chmod(join(path, program), 0o755);
  }
  expect(await installedBinaries(path)).toMatchObject({ postgres: join(path, 'postgres') });
  for (const program of ['postgres', 'initdb']) {
    const environment = await readFile(join(path, `${program}.env`), 'utf8');
    expect(environment).toContain('PATH=');
    expect(environment).not.toContain('EAAS_ROOT_KEY');
  }
});
