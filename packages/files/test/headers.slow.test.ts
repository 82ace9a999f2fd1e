import { copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import { jsonLines } from '@eaas/test-kit/command-line';
import { ok } from '@eaas/test-kit/fixture';
import { type Account, done, newAccount, newPlace, type Place } from './command-line.ts';

let account: Account;
let place: Place;

beforeEach(async () => {
  account = await newAccount();
  place = await newPlace();
  await writeFile(place.at('a'), Buffer.alloc(70_000, 7));
  const { env, keyId, tenant } = account;
  const type = async (line: string): Promise<void> => {
    const { code, stderr } = await place.type(line, env);
    if (code !== 0) throw new Error(`${line} failed:\n${stderr}`);
  };
  await type('eaas-files encrypt a --out box/1.eaas');
  ok(await tenant.api.post(`/v1/keys/${keyId}/rotate`));
  await type('eaas-files encrypt a --out box/2.eaas');
  await writeFile(place.at('box/3.eaas'), await account.client.encrypt('a value'));
});

test('the command inspect shows the content of each file header without a service', async () => {
  const key_id = account.keyId;
  const { code, stdout } = await place.type('eaas-files inspect -r box --json', {});
  expect(code).toBe(0);
  expect(jsonLines(stdout)).toEqual([
    { path: 'box/1.eaas', kind: 'stream', key_id, key_version: 1, size: 70_000 },
    { path: 'box/2.eaas', kind: 'stream', key_id, key_version: 2, size: 70_000 },
    { path: 'box/3.eaas', kind: 'value', key_id, key_version: 2, size: 7 },
  ]);
  const table = await place.type('eaas-files inspect box/1.eaas', {});
  expect(table.stdout).toBe(
    `path        kind    key_id                                key_version  size\nbox/1.eaas  stream  ${key_id}  1            70000\n`,
  );
  const piped = await place.type('eaas-files inspect --json < box/1.eaas', {});
  expect(jsonLines(piped.stdout)).toMatchObject([{ path: 'standard input', size: 70_000 }]);
});

test('inspect and rewrap show hidden characters of a file name as escapes, in JSON and in a table', async () => {
  const path = 'two  spaces\u202E.eaas';
  await copyFile(place.at('box/1.eaas'), place.at(path));
  for (const command of ['inspect', 'rewrap']) {
    const { stdout } = await place.type(`eaas-files ${command} *.eaas --json`, account.env);
    expect(jsonLines(stdout)).toMatchObject([{ path }]);
    expect(stdout).toContain('"two  spaces\\u202e.eaas"');
    const table = await place.type(`eaas-files ${command} *.eaas`, account.env);
    expect(table.stdout).toContain('\n"two \\u0020spaces\\u202e.eaas"  ');
  }
});

test('the command rewrap changes only the first bytes of files', async () => {
  const before = await readFile(place.at('box/1.eaas'));
  const value = await readFile(place.at('box/3.eaas'), 'utf8');
  ok(await account.tenant.api.post(`/v1/keys/${account.keyId}/rotate`));
  const { ino } = await stat(place.at('box/1.eaas'));
  const { code, stdout, stderr } = await place.type('eaas-files rewrap -r box --json', account.env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const key_id = account.keyId;
  expect(jsonLines(stdout)).toEqual(
    [1, 2, 3].map((name) => ({ path: `box/${name}.eaas`, key_id, key_version: 3, rewrapped: true })),
  );
  const after = await readFile(place.at('box/1.eaas'));
  expect(after.equals(before)).toBe(false);
  expect(after.subarray(104).equals(before.subarray(104))).toBe(true);
  expect((await stat(place.at('box/1.eaas'))).ino).toBe(ino);
  expect(await readFile(place.at('box/3.eaas'), 'utf8')).not.toBe(value);
  const back = 'eaas-files decrypt -r box --out back && cmp a back/1 && cmp a back/2 && cat back/3';
  expect(await place.type(back, account.env)).toEqual({ ...done, stdout: 'a value' });
  const again = await place.type('eaas-files rewrap -r box --json', account.env);
  expect(jsonLines<{ rewrapped: boolean }>(again.stdout).map((each) => each.rewrapped)).toEqual([
    false,
    false,
    false,
  ]);
  expect(await readFile(place.at('box/1.eaas'))).toEqual(after);
});

test('a command can process more files than a process can have open', async () => {
  const lines = `for n in {1..150}; do cp box/1.eaas box/copy-$n.eaas; cp a box/plain-$n.eaas; done
ulimit -n 200
eaas-files rewrap -r box --json; eaas-files inspect -r box --json; eaas-files decrypt -r box --out back`;
  const { stdout, stderr } = await place.type(lines, account.env);
  expect(jsonLines(stdout)).toHaveLength(2 * 153);
  const messages = stderr.trimEnd().split('\n');
  expect(messages.filter((line) => !/^box\/plain-\d+\.eaas: not a ciphertext/.test(line))).toEqual([]);
  expect(messages).toHaveLength(3 * 150);
  expect((await place.list()).filter((path) => path.startsWith('back/'))).toHaveLength(153);
});

test('the command rewrap can read standard input and write standard output', async () => {
  const line = 'eaas-files rewrap < box/1.eaas | tee new.eaas | eaas-files decrypt | cmp - a';
  expect(await place.type(line, account.env)).toEqual(done);
  const { stdout } = await place.type('eaas-files inspect new.eaas --json', {});
  expect(jsonLines(stdout)).toMatchObject([{ key_version: 2, size: 70_000 }]);
  const value = await place.type('eaas-files rewrap < box/3.eaas | eaas-files decrypt', account.env);
  expect(value).toEqual({ ...done, stdout: 'a value' });
});

test('the command rewrap changes no file if the API key cannot encrypt', async () => {
  const { record } = await account.tenant.issue({ permissions: ['decrypt'] });
  const before = await readFile(place.at('box/1.eaas'));
  const env = { ...account.env, EAAS_API_KEY: record.api_key };
  const { code, stdout, stderr } = await place.type('eaas-files rewrap -r box', env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^[^\n]*permission[^\n]*\n$/);
  expect(await readFile(place.at('box/1.eaas'))).toEqual(before);
});
