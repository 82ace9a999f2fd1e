import { copyFile, link as hardLink, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import { jsonLines } from '@eaas/test-kit/command-line';
import { ok } from '@eaas/test-kit/fixture';
import type { Finished } from '@eaas/test-kit/program';
import { type Account, done, newAccount, newPlace, type Place } from './command-line.ts';
import { holdRequests } from './held-service.ts';

const leftAlone = (path: string): string =>
  `${path}: the file was changed, replaced or removed meanwhile, and was left alone: run the command again.\n`;

let account: Account;
let place: Place;

beforeEach(async () => {
  account = await newAccount();
  place = await newPlace();
  await writeFile(place.at('a'), 'before');
  await writeFile(place.at('b'), 'after');
  await writeFile(place.at('victim.conf'), 'a file that is none of its business');
  const lines = 'eaas-files encrypt a --out box/x.eaas && eaas-files encrypt b --out new.eaas';
  const { code, stderr } = await place.type(lines, account.env);
  if (code !== 0) throw new Error(`the encryption of the files failed:\n${stderr}`);
  await writeFile(place.at('box/text.eaas'), await textOf('before'));
  await writeFile(place.at('text.eaas'), await textOf('after'));
  ok(await account.tenant.api.post(`/v1/keys/${account.keyId}/rotate`));
});

const textOf = async (value: string) => await account.client.encrypt(value);

/** Runs the command, and changes files while its requests to matching paths wait for their responses. */
async function meanwhile(
  line: string,
  { paths = /rewrap/ },
  change: () => Promise<unknown>,
): Promise<Finished> {
  const held = await holdRequests(account.env['EAAS_BASE_URL'] ?? '', paths);
  const finished = place.type(line, { ...account.env, EAAS_BASE_URL: held.baseUrl });
  await Promise.race([held.waiting, finished]);
  await change();
  held.release();
  return finished;
}

type Change = (old: string, newer: string) => Promise<unknown>;
const link = async (old: string) => {
  await rm(old);
  await symlink('../victim.conf', old);
};

test.each<[string, Change, string | undefined]>([
  ['another file replaced', (old, newer) => rename(newer, old), 'after'],
  ['was overwritten', (old, newer) => copyFile(newer, old), 'after'],
  ['was removed', (old) => rm(old), undefined],
  ['became a symbolic link', link, 'a file that is none of its business'],
])('rewrap leaves a stream and a value alone that %s meanwhile', async (_, change, left) => {
  const names = { 'box/x.eaas': 'new.eaas', 'box/text.eaas': 'text.eaas' };
  for (const [name, newer] of Object.entries(names)) {
    const after = await readFile(place.at(newer));
    const finished = await meanwhile(`eaas-files rewrap ${name}`, {}, () =>
      change(place.at(name), place.at(newer)),
    );
    expect(finished).toEqual({ code: 1, stdout: '', stderr: leftAlone(name) });
    const expected = left === 'after' ? after : left;
    const found = await readFile(place.at(name)).catch(() => undefined);
    expect(found?.toString('latin1')).toBe(expected?.toString('latin1'));
  }
  expect((await place.list()).filter((path) => path.endsWith('.part'))).toEqual([]);
});

test('two commands that rewrap the same files at the same time leave files that decrypt', async () => {
  const other = await holdRequests(account.env['EAAS_BASE_URL'] ?? '', /rewrap/);
  const line = 'eaas-files rewrap -r box';
  const second = place.type(line, { ...account.env, EAAS_BASE_URL: other.baseUrl });
  await other.waiting;
  expect(await meanwhile(line, {}, async () => other.release())).toMatchObject({
    code: expect.toBeOneOf([0, 1]),
  });
  expect(await second).toMatchObject({ code: expect.toBeOneOf([0, 1]) });
  const read = 'eaas-files decrypt box/x.eaas --out - && eaas-files decrypt box/text.eaas --out -';
  expect(await place.type(read, account.env)).toEqual({ ...done, stdout: 'beforebefore' });
  const { stdout } = await place.type('eaas-files inspect -r box --json', {});
  expect(jsonLines(stdout)).toMatchObject([{ key_version: 2 }, { key_version: 2 }]);
});

test('rewrap rewraps a file with several hard links once', async () => {
  for (const nth of [1, 2, 3]) await hardLink(place.at('box/x.eaas'), place.at(`box/link-${nth}.eaas`));
  const { code, stdout, stderr } = await place.type('eaas-files rewrap -r box --json', account.env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const results = jsonLines<{ path: string; key_version: number; rewrapped: boolean }>(stdout);
  expect(results.map(({ key_version }) => key_version)).toEqual([2, 2, 2, 2, 2]);
  expect(results.filter(({ rewrapped }) => rewrapped)).toHaveLength(2);
  expect((await stat(place.at('box/x.eaas'))).nlink).toBe(4);
});

test('rewrap follows no symbolic link, not even one that the command line names', async () => {
  const before = await readFile(place.at('box/x.eaas'));
  await symlink('box/x.eaas', place.at('link.eaas'));
  const { code, stdout, stderr } = await place.type('eaas-files rewrap link.eaas', account.env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe('link.eaas: is a symbolic link: pass the path of the file that it leads to.\n');
  expect(await readFile(place.at('box/x.eaas'))).toEqual(before);
});

test.each([
  ['decrypt', /unwrap/, 'new.eaas', '.eaas', 'box/x.eaas'],
  ['encrypt', /wrap/, 'b', '', 'victim.conf'],
])(
  'the command %s does not follow a symbolic link that takes the place of a file in a folder',
  async (command, paths, file, ending, target) => {
    const prepare = `mkdir in; for n in {1..9}; do cp ${file} in/$n${ending}; done`;
    expect(await place.type(prepare, {})).toEqual(done);
    const last = `in/9${ending}`;
    // The command works on eight files at the same time, so it opens the ninth after the exchange.
    const finished = await meanwhile(`eaas-files ${command} -r in --out out`, { paths }, async () => {
      await rm(place.at(last));
      await symlink(`../${target}`, place.at(last));
    });
    const stderr = `${last}: is a symbolic link: pass the path of the file that it leads to.\n`;
    expect(finished).toEqual({ code: 1, stdout: '', stderr });
    expect((await place.list()).filter((path) => path.startsWith('out/'))).toHaveLength(8);
  },
);
