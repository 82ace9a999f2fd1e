import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDataDirectory } from './data-directory.ts';

async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'eaas-test-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

test('makes a missing directory that only we can enter', async () => {
  const path = join(await temporaryDirectory(), 'var', 'eaas');
  const directory = await openDataDirectory(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  expect(directory).toMatchObject({
    path,
    postgres: join(path, 'postgres'),
    rootKeyFile: join(path, 'root.key'),
    ownerFile: join(path, 'owner.json'),
  });
  expect(directory.hasDatabase()).toBe(false);
});

test('closes an empty directory, such as a new volume', async () => {
  const path = await temporaryDirectory();
  await chmod(path, 0o755);
  await openDataDirectory(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

test('refuses one whose content others could read, with the command that helps', async () => {
  const path = await temporaryDirectory();
  await writeFile(join(path, 'root.key'), '');
  for (const mode of [0o755, 0o750, 0o770]) {
    await chmod(path, mode);
    await expect(openDataDirectory(path)).rejects.toThrow(`Run \`chmod 700 ${path}\`.`);
  }
});

test('knows a database from the beginnings of one', async () => {
  const path = await temporaryDirectory();
  const { postgres, hasDatabase } = await openDataDirectory(path);
  await mkdir(postgres);
  expect(hasDatabase()).toBe(false);
  await writeFile(join(postgres, 'PG_VERSION'), '18\n');
  expect(hasDatabase()).toBe(true);
});
