// Verifies an exported audit log without the service and without a secret. Needs the file that `eaas audit export`
// wrote; for its end also a checkpoint that was kept, and the verifier key that was pinned when the first was taken.
//   node examples/verify-audit/index.mjs acme.ndjson acme.checkpoint 'eaas/…+…+…'
import { createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { entryHash, genesisHash } from '@eaas/protocol/audit';

const [log, checkpointFile, verifierKey] = process.argv.slice(2);
if (!log || (checkpointFile && !verifierKey)) fail('usage: index.mjs <log> [<checkpoint> <verifier key>]', 2);
const checkpoint = checkpointFile && openCheckpoint(readFileSync(checkpointFile, 'utf8'), verifierKey);

let [first, last, hash, met] = [undefined, undefined, undefined, false];
for await (const line of createInterface({ input: createReadStream(log) })) {
  const { hash: stated, ...entry } = JSON.parse(line);
  if (last && (entry.tenant_id !== last.tenant_id || entry.id !== last.id + 1))
    fail(`after ${last.id}: ${line}`);
  // Of a log whose beginning was purged, or not exported, the first hash is taken as it is.
  hash ??= entry.id === 1 ? genesisHash(entry.tenant_id) : undefined;
  hash = hash ? entryHash(hash, entry) : Buffer.from(stated, 'hex');
  if (hex(hash) !== stated) fail(`entry ${entry.id} is not what was hashed`);
  met ||=
    entry.tenant_id === checkpoint?.tenantId && entry.id === checkpoint.id && stated === checkpoint.hash;
  first ??= entry;
  last = entry;
}
if (!last) fail('the log is empty');
if (checkpoint && !met) fail(`the log does not have the entry ${checkpoint.id} that the checkpoint states`);
console.log(
  `entries ${first.id} to ${last.id} of tenant ${last.tenant_id} are a chain, with the hash ${hex(hash)}`,
);
if (checkpoint) console.log(`and it extends the checkpoint at entry ${checkpoint.id}`);

/** A C2SP signed note: three lines, an empty one, and signatures. */
function openCheckpoint(note, key) {
  // Base64 may have a + of its own.
  const [, name, keyId, encoded] = /^([^+]+)\+([^+]+)\+(.+)$/.exec(key) ?? fail('that is no verifier key', 2);
  const [text, signatures = ''] = note.split('\n\n');
  const [origin, id, base64] = text.split('\n');
  const signature =
    signatures.split('\n').find((line) => line.startsWith(`\u2014 ${name} `)) ?? fail('no signature of it');
  const bytes = Buffer.from(signature.split(' ')[2], 'base64');
  const x = Buffer.from(encoded, 'base64').subarray(1).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signed =
    hex(bytes.subarray(0, 4)) === keyId && verify(null, `${text}\n`, publicKey, bytes.subarray(4));
  if (!signed || origin !== `eaas.audit-chain.v1/${name.slice('eaas/'.length)}`)
    fail('the checkpoint is not signed by this key');
  return { tenantId: name.slice('eaas/'.length), id: Number(id), hash: hex(Buffer.from(base64, 'base64')) };
}

function hex(bytes) {
  return Buffer.from(bytes).toString('hex');
}

function fail(reason, code = 1) {
  console.error(`NOT VERIFIED: ${reason}`);
  process.exit(code);
}
