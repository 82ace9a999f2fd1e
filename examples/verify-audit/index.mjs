// Verifies an audit log that `eaas audit export` wrote to a file, without the service and without a secret. Pass a
// checkpoint that you took or received earlier, and the verifier key that you wrote down with your first checkpoint.
//   node examples/verify-audit/index.mjs acme.ndjson acme.checkpoint 'eaas/…+…+…'
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { entryHash, genesisHash } from '@eaas/protocol/audit';
import { openCheckpoint } from '@eaas/sdk/audit';

const [log, checkpointFile, verifierKey] = process.argv.slice(2);
if (!log || (checkpointFile && !verifierKey))
  fail('usage: node index.mjs <log file> [<checkpoint file> <verifier key>]', 2);
const checkpoint = checkpointFile && (await stated(checkpointFile, verifierKey));

let [first, last, hash, met, lines] = [undefined, undefined, undefined, false, 0];
const input = createReadStream(log).on('error', (error) => refuse('log', log, error));
for await (const line of createInterface({ input })) {
  lines++;
  try {
    check(JSON.parse(line));
  } catch {
    fail(`line ${lines} of the log must be an audit entry: pass a file that \`eaas audit export\` wrote`);
  }
}
if (!last) fail('the log is empty');
if (checkpoint && !met)
  fail(
    `entry ${checkpoint.id} must be in the log with the hash that the checkpoint contains: ` +
      'pass the complete log of the same tenant',
  );
console.log(
  `entries ${first.id} to ${last.id} of tenant ${last.tenant_id} are a chain, with the hash ${hex(hash)}`,
);
if (checkpoint) console.log(`the checkpoint proves the entries up to ${checkpoint.id}`);
else
  console.error(
    'No checkpoint was passed: this shows only that the file is consistent, not that it is the original log.',
  );

/**
 * Exits unless the audit entry is the next entry of the same tenant and matches its hash. Throws if the argument is not
 * an audit entry.
 */
function check({ hash: stated, ...entry }) {
  if (!Number.isInteger(entry.id) || typeof entry.tenant_id !== 'string') throw new TypeError();
  if (last && (entry.tenant_id !== last.tenant_id || entry.id !== last.id + 1))
    fail(
      `entry ${last.id} must be followed by entry ${last.id + 1} of the same tenant (got ${entry.id}): export the log again`,
    );
  // If the file does not begin with entry 1, the hash of its first entry cannot be checked, because the hash
  // of the entry before is unknown. The program then accepts the hash in the file.
  hash ??= entry.id === 1 ? genesisHash(entry.tenant_id) : undefined;
  hash = hash ? entryHash(hash, entry) : Buffer.from(stated, 'hex');
  if (hex(hash) !== stated)
    fail(
      `entry ${entry.id} does not match its hash, so the file or the log was altered: export the log again`,
    );
  met ||=
    entry.tenant_id === checkpoint?.tenant_id && entry.id === checkpoint.id && stated === checkpoint.hash;
  first ??= entry;
  last = entry;
}

/** Exits if the verifier key did not sign the checkpoint. */
async function stated(file, key) {
  const text = await readFile(file, 'utf8').catch((error) => refuse('checkpoint', file, error));
  const head = await openCheckpoint(text, key).catch((error) => fail(error.message, 2));
  return (
    head ??
    fail(
      'the signature of the checkpoint must be valid for the verifier key: ' +
        'pass a checkpoint and a verifier key of the same tenant',
    )
  );
}

function refuse(what, file, { code }) {
  fail(`the ${what} must be a file that this program can read (got ${code} for ${file}): pass its path`, 2);
}

function hex(bytes) {
  return Buffer.from(bytes).toString('hex');
}

function fail(reason, code = 1) {
  console.error(`NOT VERIFIED: ${reason}`);
  process.exit(code);
}
