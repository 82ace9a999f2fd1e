import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sources } from '../house-rules/files.ts';

/** The first bytes of the SHA-256 of each file. */
const frozen = {
  'api-key.json': '6e7d97ab25767bdc',
  'audit-chain.json': '9e87555379ad5fa1',
  'base64.json': 'a7ab96e30e99c0c2',
  'checkpoint.json': '01f1432dcc719d0d',
  'context.json': '7f2414c50c08da3a',
  'envelope-v1.json': 'd88c7196714f1596',
  'envelope-v2.json': 'f5f8185d683e345c',
  'evidence.json': '914a811971803f63',
  'fields.json': 'f0fe8a8f29b36aba',
  'formats.json': '191c15f439f67abb',
  'half.json': '66395629a53f6eea',
  'hash.json': '04e90e81f7d0ae63',
  'intake.json': 'eab72d7feeae1d65',
  'key-file.json': '10fde0d41a3e8625',
  'ledger.json': '570126deade0c864',
  'local-lock.json': '8de84b412e977dfe',
  'local-secret-accepted.json': 'c71605e82b4fda3c',
  'local-secret.json': '990892ed4a26cde5',
  'log-moment.json': '8008f21d2717e3da',
  'log-proof.json': '0b7ed13b6aa61496',
  'log-tree.json': 'd1efbe677ef616f0',
  'pae.json': '79b083d16e3907b5',
  'people.json': 'c2dd7b5740394e1a',
  'sealed-secret.json': 'd369d64cb47d1d90',
};

test('no vector has changed', () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.json'));
  const hash = (file: string): string =>
    createHash('sha256')
      .update(readFileSync(new URL(file, import.meta.url)))
      .digest('hex')
      .slice(0, 16);
  expect(Object.fromEntries(files.map((file) => [file, hash(file)]))).toEqual(frozen);
});

/** What keys, MACs and hashes of stored data are made with, so that each is good for one thing. */
const labels = `
eaas anchor v1, eaas audit chain v1, eaas audit entry v1, eaas audit link v1, eaas envelope v1, eaas field index v1,
eaas half id v1, eaas half index v1, eaas half v1, eaas head v1, eaas heads v1, eaas index key v1, eaas intake key v1,
eaas intake v1, eaas local lock v1, eaas local secret v1, eaas log head v1, eaas log proof v1, eaas log tenant v1, eaas part index v1,
eaas passkey half v1, eaas root id v1, eaas root v1, eaas row in sum v1, eaas row sum v1, eaas row v1, eaas salt v1, eaas schema v1,
eaas stream v2, eaas subject v1, eaas tenant v1, eaas verification v1, eaas wrap v1, eaas wrap v2, eaas.audit-chain.v1,
eaas.moment.v1, eaas.restart.v1`;

test('no label that reaches stored data has changed, and a new one is written out here', () => {
  const found = sources.flatMap(({ text }) => text.match(/\beaas[ .][a-z .-]+[ .]v\d/g) ?? []);
  expect([...new Set(found)].toSorted()).toEqual(labels.trim().split(/,\s+/));
});
