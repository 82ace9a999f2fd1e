import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { whereAvailable } from '@eaas/test-kit/available';
import { createDataDirectory, findDataDirectory } from './data-directory.ts';

async function withDatabase(path: string): Promise<string> {
  await createDataDirectory(path);
  const postgres = join(path, 'postgres');
  await mkdir(postgres);
  await writeFile(join(postgres, 'PG_VERSION'), '18\n');
  return path;
}

function workIn(folder: string): void {
  const spy = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  onTestFinished(() => spy.mockRestore());
}

test('a missing data directory is created for this user only', async () => {
  const path = join(await newDirectory(), 'var', 'eaas');
  const directory = await createDataDirectory(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  expect(directory).toMatchObject({
    path,
    rootKeyFile: join(path, 'root.key'),
  });
  expect(directory.hasDatabase).toBe(false);
});

test('an empty data directory becomes accessible only to its owner', async () => {
  const path = await newDirectory();
  await chmod(path, 0o755);
  await createDataDirectory(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

test('git ignores a data directory, because a .gitignore is written with it', async () => {
  const outer = await newDirectory();
  const { path } = await createDataDirectory(join(outer, '.eaas'));
  expect(await readFile(join(path, '.gitignore'), 'utf8')).toBe('*\n');
  await writeFile(join(path, '.gitignore'), '# mine\n');
  await createDataDirectory(path);
  expect(await readFile(join(path, '.gitignore'), 'utf8')).toBe('# mine\n');
});

whereAvailable('the file system /proc', existsSync('/proc/self'), () => {
  test('a data directory on a file system without files is refused at once', async () => {
    for (const path of ['/proc/eaas', '/proc/eaas/data', '/proc/self/fd/eaas']) {
      await expect(createDataDirectory(path)).rejects.toThrow(
        `The data directory ${path} cannot be created (E`,
      );
    }
  });
});

test('if the data directory cannot be created, the error names the directory and EAAS_DATA_DIR', async () => {
  const file = join(await newDirectory(), 'file');
  await writeFile(file, '');
  for (const path of [file, join(file, 'data'), `${file}${'x'.repeat(300)}`]) {
    await expect(createDataDirectory(path)).rejects.toThrow(
      `The data directory ${path} cannot be created (E`,
    );
    await expect(createDataDirectory(path)).rejects.toThrow('Set EAAS_DATA_DIR to a directory');
  }
});

test('the server refuses a data directory that other users can access', async () => {
  const path = await withDatabase(await newDirectory());
  for (const mode of [0o755, 0o750, 0o770, 0o720, 0o702]) {
    await chmod(path, mode);
    for (const open of [createDataDirectory, findDataDirectory]) {
      await expect(open(path)).rejects.toThrow(`Run \`chmod 700 ${path}\`.`);
    }
  }
});

whereAvailable('the root account', process.getuid?.() === 0, () => {
  test('a directory of another user is refused', async () => {
    const path = await withDatabase(await newDirectory());
    await chown(path, 12_345, 12_345);
    for (const open of [createDataDirectory, findDataDirectory]) {
      await expect(open(path)).rejects.toThrow(`${path} belongs to the user id 12345`);
    }
  });
});

test('a command finds the nearest data directory in the current folder and its parents', async () => {
  const outer = await newDirectory();
  const folder = join(outer, 'project', 'src');
  await mkdir(folder, { recursive: true });
  workIn(folder);
  const far = await withDatabase(join(outer, '.eaas'));
  expect(await findDataDirectory(null)).toMatchObject({ path: far });
  const near = await withDatabase(join(outer, 'project', '.eaas'));
  expect(await findDataDirectory(null)).toMatchObject({ path: near });
});

test('if EAAS_DATA_DIR is set, no other folder is searched for a data directory', async () => {
  const outer = await newDirectory();
  await withDatabase(join(outer, '.eaas'));
  const named = join(outer, 'named', '.eaas');
  await expect(findDataDirectory(named)).rejects.toThrow(`There is no Eaas data in ${named}`);
});

test('a data directory whose database was not completely created is refused', async () => {
  const path = await newDirectory();
  const postgres = join(path, 'postgres');
  await mkdir(postgres);
  expect((await createDataDirectory(path)).hasDatabase).toBe(false);
  await expect(findDataDirectory(path)).rejects.toThrow('holds no database yet');
  await writeFile(join(postgres, 'PG_VERSION'), '18\n');
  expect((await findDataDirectory(path)).hasDatabase).toBe(true);
});
