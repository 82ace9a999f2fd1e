import { existsSync } from 'node:fs';
import { readdir, rename, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { eaas as program, type Finished, run, serve } from '@eaas/test-kit/program';
import { refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { listening } from '@eaas/test-kit/listening';

let data: string;
beforeEach(async () => {
  data = join(await newDirectory(), 'data');
});

const eaas = (...args: string[]): Promise<Finished> =>
  run([...program, ...args], { EAAS_DATA_DIR: data, EAAS_PORT: '0' });

async function created(): Promise<string> {
  const server = await serve({ EAAS_DATA_DIR: data }, { command: 'dev' });
  await server.stop();
  return server.log();
}

test.each([['tenant', 'create', '--name', 'acme'], ['migrate']])(
  'without a data directory, eaas %s %s creates nothing and says what to do',
  async (...args) => {
    const directory = await newDirectory();
    const here = await refusalOf(run([...program, ...args], {}, { cwd: directory }), 3);
    expect(here).toContain(`There is no Eaas data here: no .eaas in ${directory} or a folder above it.`);
    expect(here).toContain('Start the server first (`eaas dev`)');
    expect(await readdir(directory)).toEqual([]);
    expect(await refusalOf(eaas(...args), 3)).toContain(
      `There is no Eaas data in ${data}, which EAAS_DATA_DIR names.`,
    );
    expect(existsSync(data)).toBe(false);
  },
);

test('eaas dev creates nothing if its port is taken', async () => {
  const env = { EAAS_DATA_DIR: data, EAAS_PORT: String(await listening(createServer())) };
  expect(await refusalOf(run([...program, 'dev'], env), 3)).toMatch(
    /^EAAS_PORT must be a free port \(got \d+, [^\n]* set EAAS_PORT to another port\.\n$/,
  );
  expect(existsSync(data)).toBe(false);
});

test('eaas dev makes a root key for its owner alone, and never replaces a lost one', async () => {
  const file = join(data, 'root.key');
  expect(await created()).toContain(`A new root key is in ${file}. Keep a copy of the root key`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await rename(file, join(data, 'elsewhere'));
  expect(await refusalOf(eaas('tenant', 'list'), 3)).toContain(
    'root.key is missing, and no other key can decrypt the existing data',
  );
  await rename(join(data, 'elsewhere'), file);
  expect(await eaas('tenant', 'list')).toMatchObject({ code: 0 });
});
