import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { EnvFile } from './env-file.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await newDirectory();
  path = join(folder, '.env');
});

const set = async (values: Record<string, string>) => (await EnvFile.read(path)).set(values);
const modeOf = async (file: string) => (await stat(file)).mode & 0o777;

it('a new .env file can be read only by its owner', async () => {
  await set({ EAAS_BASE_URL: 'http://127.0.0.1:8080', EAAS_API_KEY: 'eaas_sk_1' });
  expect(await readFile(path, 'utf8')).toBe('EAAS_BASE_URL=http://127.0.0.1:8080\nEAAS_API_KEY=eaas_sk_1\n');
  expect(await modeOf(path)).toBe(0o600);
});

it('setting a variable in a .env file keeps the other lines in order', async () => {
  await writeFile(path, '# mine\nPORT=3000\nexport EAAS_API_KEY="old"\n\nMY_EAAS_API_KEY=other\nLAST=1');
  await chmod(path, 0o644);
  await set({ EAAS_API_KEY: 'new$&', EAAS_KEY_ID: 'id' });
  expect(await readFile(path, 'utf8')).toBe(
    '# mine\nPORT=3000\nEAAS_API_KEY=new$&\n\nMY_EAAS_API_KEY=other\nLAST=1\nEAAS_KEY_ID=id\n',
  );
  expect(await modeOf(path)).toBe(0o600);
  expect(await readdir(folder)).toEqual(['.env']);
});

it('the line ends of Windows stay in the .env file', async () => {
  await writeFile(path, 'A=1\r\nEAAS_API_KEY=old\r\nB=2\r\n');
  await set({ EAAS_API_KEY: 'new' });
  expect(await readFile(path, 'utf8')).toBe('A=1\r\nEAAS_API_KEY=new\r\nB=2\r\n');
});

it('if the .env file is a link, the target of the link is written', async () => {
  const target = join(folder, 'shared.env');
  await writeFile(target, 'A=1\n');
  await symlink(target, path);
  await set({ B: '2' });
  expect(await readFile(target, 'utf8')).toBe('A=1\nB=2\n');
  expect(await readdir(folder)).toEqual(['.env', 'shared.env']);
});

it('if a .env file sets a variable twice, the last line applies', async () => {
  await writeFile(path, `A=1\nA = "2"\nB='x y'\n`);
  const file = await EnvFile.read(path);
  expect([file.get('A'), file.get('B'), file.get('C')]).toEqual(['2', 'x y', undefined]);
});

it.each(['http://localhost:8080', 'http://127.0.0.1:8081', 'http://[::1]:8080', ''])(
  '`eaas dev --env` replaces an EAAS_BASE_URL of this machine (%s)',
  async (address) => {
    await writeFile(path, `EAAS_BASE_URL=${address}\n`);
    await set({ EAAS_BASE_URL: 'http://127.0.0.1:9000' });
    expect(await readFile(path, 'utf8')).toBe('EAAS_BASE_URL=http://127.0.0.1:9000\n');
  },
);
