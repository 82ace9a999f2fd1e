// Secrets of a key file that commands open: each buffer that held one is zero after the call.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wipedBy } from '@eaas/test-kit/wiped-by';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ask } from '../test/ask.ts';
import { createLocalService } from './index.ts';
import { lockKeyFile, openForImport, wipeKeyFile } from './internal.ts';

let file: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'eaas-wipes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = join(folder, '.eaas', 'local.json');
});
afterEach(() => void vi.unstubAllEnvs());

const secretIn = () =>
  Buffer.from((JSON.parse(readFileSync(file, 'utf8')) as { tenant_secret: string }).tenant_secret, 'base64');

/** A file with a rotated key, and with a person if it is asked for. */
async function makeFile(subject?: string) {
  const service = createLocalService({ file });
  const dek = Buffer.alloc(32, 7).toString('base64');
  await ask(service, `POST /v1/keys/${service.keyId}/rotate`);
  await ask(service, `POST /v1/keys/${service.keyId}/wrap`, { dek, subject });
}

test.each([
  ['without people, which gets another secret', undefined],
  ['with people, which keeps its secret', '42'],
])('the lock of a file %s wipes each secret that it opens', async (_, subject) => {
  await makeFile(subject);
  const secret = secretIn();
  vi.stubEnv('EAAS_LOCAL_NEW_PASSPHRASE', 'a passphrase');
  const wiped = await wipedBy(async () => lockKeyFile(file));
  // Of the file as it was, which is opened twice, with a copy each time; and of the file as it is.
  const wipedSecrets = wiped.filter((bytes) => bytes.equals(secret));
  expect(wipedSecrets).toHaveLength(subject === undefined ? 4 : 5);
  expect(wiped.filter(({ length }) => length === 32).length).toBeGreaterThanOrEqual(3);
});

test('what was opened for an import is zero after `wipeKeyFile`: the secret, hash keys, versions and people', async () => {
  await makeFile('42');
  const opened = await openForImport(file);
  const secrets = [
    opened.secret,
    ...opened.keys.flatMap(({ hash_key, versions }) => [hash_key, ...versions.map(({ sealed }) => sealed)]),
    ...opened.subjects.map(({ sealed }) => sealed),
  ].filter((secret) => secret !== null);
  expect(secrets).toHaveLength(5);
  expect(secrets.filter((secret) => secret.some(Boolean))).toHaveLength(5);

  wipeKeyFile(opened);

  expect(secrets.filter((secret) => secret.some(Boolean))).toEqual([]);
});
