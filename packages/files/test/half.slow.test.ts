import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { halfId, tokenOf } from '@eaas/test-kit/decoder';
import { expect, test } from 'vitest';
import { done, newAccount, newPlace } from './command-line.ts';

const half = randomBytes(32);
const EAAS_HALF = tokenOf(half, 'eaas_half_');
const other = tokenOf(randomBytes(32), 'eaas_half_');

test('files under a half, under none and under several open with the right list, with the service and without', async () => {
  const { env } = await newAccount();
  const place = await newPlace();
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 3_072 });
  await writeFile(place.at('a'), randomBytes(150_000));
  await writeFile(place.at('public.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
  await writeFile(place.at('private.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const withHalf = { ...env, EAAS_HALF, EAAS_HALF_ID: halfId(half) };
  expect(await place.type('eaas-files encrypt a --out half.eaas', withHalf)).toEqual(done);
  const more = `eaas-files encrypt a --out none.eaas
eaas-files export-key --public-key public.pem --out key.json
eaas-files rewrap half.eaas > log`;
  expect(await place.type(more, env)).toEqual(done);

  const service = 'eaas-files decrypt';
  const offline = `${service} --exported-key key.json --private-key private.pem`;
  const noService = { EAAS_BASE_URL: 'http://127.0.0.1:1' };
  for (const [command, own] of [
    [service, env],
    [offline, noService],
  ] as const) {
    const lines = `${command} half.eaas none.eaas --force && cmp a half && cmp a none && rm half none`;
    expect(await place.type(lines, { ...own, EAAS_HALF: `null,${other},${EAAS_HALF}` })).toEqual(done);
    for (const [variables, file, text] of [
      [{}, 'half', 'or by a client with the option `half`'],
      [{ EAAS_HALF: `null,${other}` }, 'half', 'decryption failed'],
      [{ EAAS_HALF: '' }, 'none', 'EAAS_HALF'],
      [{ EAAS_HALF, EAAS_HALF_ID: '00000000' }, 'half', 'EAAS_HALF_ID'],
    ] as const) {
      const refused = await place.type(`${command} ${file}.eaas`, { ...own, ...variables });
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain(text);
      expect(refused.stderr).not.toContain(EAAS_HALF.slice(10, 40));
    }
  }
  expect((await place.list()).filter((name) => /^(half|none)$/.test(name))).toEqual([]);
});
