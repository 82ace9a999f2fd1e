// What each release has kept opens in this version, and what it promised stands. The database of a server, and those of apps, are
// in kept.slow.test.ts.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCheckpoint, verifyFile, verifyProof } from '@eaas/audit';
import { decryptBlob } from '@eaas/sdk/stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openOffline } from '../../packages/files/src/offline.ts';
import { letters, people } from './definition.ts';
import { keptBy, releases } from './folder.ts';
import { openKeys } from './keys.ts';
import { brokenPromises, promises } from './promises.ts';
import { clientOf, encryptAll, openAll } from './rows.ts';

afterEach(() => void vi.unstubAllEnvs());

describe.each([...releases])('what %s has kept', (release) => {
  test('its promises stand', () => {
    expect(brokenPromises(keptBy(release, 'promises'), promises(), release)).toEqual([]);
  });

  const keys = keptBy(release, 'keys');

  test.each(Object.entries(keys))(
    '%s opens what its keys encrypted, and makes the same fingerprint',
    async (form, kept) => {
      const texts = kept.ciphertexts.map(() => people[0].name);
      expect(await openKeys(form, kept)).toEqual({ texts, fingerprint: kept.fingerprint });
    },
  );

  const { written, index, ...own } = keptBy(release, 'rows');

  test.each(Object.entries(written))(
    'the rows that %s wrote open, and get the same fingerprints',
    async (_, rows) => {
      const client = clientOf(own);
      const kept = await openAll(client, index, rows);
      expect(kept).toMatchObject({ people, letters });
      const { fingerprints } = await openAll(client, index, await encryptAll(client, index));
      expect(kept.fingerprints).toEqual(fingerprints);
    },
  );

  const server = keptBy(release, 'server');

  test.each(['whole', 'partial'] as const)('its evidence is right: %s', async (kind) => {
    const { 'entries.ndjson': entries = '', 'proof.txt': proof = '' } = server[kind];
    const stated = await openCheckpoint(server.checkpoint, server.verifierKey);
    const report = await verifyFile(new Blob([entries]).stream(), {
      heads: [await verifyProof(proof, server.policy), ...(stated ? [stated] : [])],
      allowHidden: kind === 'partial',
    });
    expect(report).toMatchObject({ findings: [], compared: ['same', 'same'] });
    expect(report.hidden > 0).toBe(kind === 'partial');
  });

  test('its exported key opens values without the service', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'eaas-kept-'));
    const paths = ['key.json', 'private.pem'].map((name) => join(folder, name)) as [string, string];
    writeFileSync(paths[0], JSON.stringify(server.exported), { mode: 0o600 });
    writeFileSync(paths[1], server.privateKey, { mode: 0o600 });
    const client = await openOffline([paths[0]], paths[1]);
    const stored = new Blob([Buffer.from(server.stream, 'base64')]);
    const { stream } = await decryptBlob(client, stored, { keyId: server.keyId });
    expect(await new Response(stream).text()).toBe('a stream');
  });
});
