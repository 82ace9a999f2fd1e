import { truncate, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { jsonLines } from '@eaas/test-kit/command-line';
import { eaasFiles, newAccount, newPlace } from './command-line.ts';

const MiB = 1_048_576;
const measuring = `--expose-gc --import ${fileURLToPath(new URL('peak-memory.mjs', import.meta.url))}`;

const account = await newAccount();

const [node, ...program] = eaasFiles();
const line = [node, measuring, ...program].join(' ');

test('encrypting and decrypting a pipe of 256 MiB needs less than 96 MiB of memory', async () => {
  const place = await newPlace();
  const bytes = 256 * MiB + 1;
  const pipe = `head --bytes ${bytes} /dev/zero | ${line} encrypt | ${line} decrypt | wc --bytes`;
  const { code, stdout, stderr } = await place.type(pipe, account.env);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${bytes}\n` });
  const most = jsonLines<{ most: number }>(stderr).map((measured) => measured.most);
  expect(most).toHaveLength(2);
  expect(Math.min(...most)).toBeGreaterThan(MiB);
  expect(Math.max(...most)).toBeLessThan(96 * MiB);
});

const magic = Buffer.from('eaas', 'base64');
/** The header of a single value under the key whose id has only zeros. */
const value = Buffer.concat([magic, Buffer.of(1), Buffer.alloc(21), Buffer.of(78)]);
const zeros = '00000000-0000-0000-0000-000000000000';

test.each<[string, string | Buffer, string, number, RegExp, number]>([
  [
    'value',
    value,
    `decrypt big --key ${zeros}`,
    1,
    /^big: a single value must have at most 256 MiB \(got more\): /,
    300,
  ],
  [
    'device',
    '',
    'encrypt big --public-key /dev/zero',
    3,
    /^\/dev\/zero must be the file of a key, of at most 64 MiB/,
    90,
  ],
])(
  'a wrong input of 700 MiB ends in one line and needs little memory: a %s',
  async (_, beginning, command, code, message, mebibytes) => {
    const place = await newPlace();
    await writeFile(place.at('big'), beginning);
    await writeFile(place.at('k'), 'k');
    await truncate(place.at('big'), 700 * MiB);
    const finished = await place.type(`${line} ${command} --out out`, account.env);
    const [first, measured = '', ...others] = finished.stderr.trimEnd().split('\n');
    expect({ code: finished.code, first, others }).toEqual({
      code,
      first: expect.stringMatching(message),
      others: [],
    });
    expect((JSON.parse(measured) as { most: number }).most).toBeLessThan(mebibytes * MiB);
  },
);
