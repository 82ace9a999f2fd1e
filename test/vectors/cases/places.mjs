import assert from 'node:assert/strict';
import { draw, drawUuid } from '../reference/bytes.mjs';
import { sealSecret } from '../reference/sealed-secret.mjs';

export const T = '00000000-0000-4000-8000-000000000001';
export const K = '00000000-0000-4000-8000-000000000002';
export const otherTenant = drawUuid('other tenant');
export const otherKey = drawUuid('other key');
export const keyVersionSecret = draw('key version secret', 32);

export function wrapDek(label, dek, key_id, key_version) {
  const place = { ikm: keyVersionSecret, purpose: 'dek', tenant: T, key: key_id, version: key_version };
  return sealSecret({ ...place, context: null, salt: draw(`${label}/wrap salt`, 24), secret: dek });
}

export function requireUniqueNames(...lists) {
  for (const list of lists) {
    const names = list.map((item) => item.name);
    assert.deepEqual([...new Set(names)], names);
  }
}

export function assertRefused(open, kind, name) {
  assert.throws(open, (error) => error.kind === kind, `${name}: expected a ${kind} error`);
}
