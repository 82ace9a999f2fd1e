import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The first bytes of the SHA-256 of each file. */
const frozen = {
  'api-key.json': '6e7d97ab25767bdc',
  'audit-chain.json': '9e87555379ad5fa1',
  'base64.json': 'a7ab96e30e99c0c2',
  'checkpoint.json': '01f1432dcc719d0d',
  'context.json': '7f2414c50c08da3a',
  'envelope-v1.json': 'd88c7196714f1596',
  'envelope-v2.json': 'f5f8185d683e345c',
  'formats.json': '191c15f439f67abb',
  'half.json': '66395629a53f6eea',
  'hash.json': '04e90e81f7d0ae63',
  'intake.json': 'eab72d7feeae1d65',
  'ledger.json': '570126deade0c864',
  'local-lock.json': '8de84b412e977dfe',
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
