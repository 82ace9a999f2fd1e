// The files of examples/tampered-log: a clinic's log whose operator has hidden who read a record, and the proof that shows it.
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { chainHash, entryDigest, genesisHash } from '@eaas/protocol/audit';
import { toHex } from '@eaas/protocol/internal';
import { noteKey } from '@eaas/protocol/internal-log';
import { madeUpLog } from '@eaas/test-kit/made-up-log';

const tenantId = '6f1c9a52-3d0e-4b7a-9c41-2f8e5d7a0b13';
const keyId = 'c3f5e1d8-27b4-4a69-8e0f-91d2b6a4c7e5';
const [app, dentist] = ['0b7d2c46-5a18-4e93-b6f0-d4c8a1e92f37', 'e81a4f60-9c2b-4d75-a3e8-5b06f7d1c924'];
const start = Date.parse('2026-11-20T13:58:00Z');
const read = 5; // the entry that the operator would rather not have

const calls = [
  ['key.create', app, { name: 'patients' }],
  ['key.wrap', app, { context: { table: 'patients', column: 'notes' } }],
  ['key.wrap', app, { context: { table: 'patients', column: 'notes' } }],
  ['key.unwrap', app, { key_version: 1 }],
  ['key.unwrap', dentist, { key_version: 1 }],
  ['key.unwrap', app, { key_version: 1 }],
  ['key.rotate', app, {}],
] as const;

/** A log with these actors, each entry chained to the one before. */
function logOf(actors: readonly string[]) {
  let hash = genesisHash(tenantId);
  return calls.map(([action, , metadata], at) => {
    const entry = {
      id: at + 1,
      tenant_id: tenantId,
      action,
      key_id: keyId,
      key_version: 1,
      actor: actors[at] ?? '',
      ip_address: '203.0.113.7',
      metadata,
      created_at: new Date(start + at * 31_000).toISOString(),
      salt: createHash('sha256').update(`salt ${at}`).digest('hex').slice(0, 32),
    };
    hash = chainHash(hash, entryDigest(entry));
    return { ...entry, hash: toHex(hash) };
  });
}

/** A signer whose key is always the same. */
function signer(name: string, type: number) {
  const seed = createHash('sha256').update(`example key of ${name}`).digest();
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const secret = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
  return { key: noteKey(name, type, new Uint8Array(spki.subarray(-32))), secret };
}

/** Returns the files by their names. They are always the same. */
export function tamperedLog(): Readonly<Record<string, string>> {
  const honest = logOf(calls.map(([, actor]) => actor));
  const forged = logOf(calls.map(([, actor], at) => (at === read - 1 ? app : actor)));
  const witnesses = ['north', 'south', 'east'].map((name) => [name, signer(`${name}.example`, 4)] as const);
  const log = madeUpLog({ own: signer('eaas.example/log', 1), witnesses: new Map(witnesses) });
  const others = ['blue', 'carp', 'dune'].map((name, at) => ({
    tenantId: `00000000-0000-4000-8000-00000000000${at}`,
    id: 17 + at,
    hash: createHash('sha256').update(name).digest(),
  }));
  const { id = 0, hash = '' } = honest.at(-1) ?? {};
  const time = Date.parse('2026-11-20T14:04:00Z');
  log.moment(others, time - 60_000);
  const index = log.moment([...others, { tenantId, id, hash: Buffer.from(hash, 'hex') }], time);
  const proof = log.prove(tenantId, index);
  const [previous, entry, ...later] = honest.slice(read - 2);
  const entryProof = {
    version: 2,
    tenant_id: tenantId,
    previous_hash: previous?.hash,
    entry,
    digests: later.map((each) => toHex(entryDigest(each))),
    proof,
  };
  const linesOf = (entries: readonly object[]) => entries.map((each) => `${JSON.stringify(each)}\n`).join('');
  return {
    'acme.ndjson': linesOf(forged),
    'acme.original.ndjson': linesOf(honest),
    'acme.tlog-proof': proof,
    'acme.entry-proof': `${JSON.stringify(entryProof)}\n`,
    'policy.txt': log.policy,
  };
}
