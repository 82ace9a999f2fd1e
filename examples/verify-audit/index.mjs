// Verifies an audit log that `eaas audit export` wrote to a file, without the service and without a secret. Pass a
// checkpoint that you took or received earlier, and the verifier key that you wrote down with your first checkpoint.
//   node examples/verify-audit/index.mjs acme.ndjson acme.checkpoint 'eaas/…+…+…'
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { verifyLog } from '@eaas/audit';

const [log, file, verifierKey] = process.argv.slice(2);
if (!log || (file && !verifierKey)) {
  fail('usage: node index.mjs <log file> [<checkpoint file> <verifier key>]', 2);
}
const checkpoint = file && (await readFile(file, 'utf8').catch((error) => refuse('checkpoint', file, error)));

const entries = entriesIn(log);
const { value: first } = await entries.next();
if (!first) fail('the log is empty');
let last;
const { findings } = await verifyLog(all(), {
  ...(file && { checkpoint, verifierKey }),
  // The entries before it can have been purged.
  from: first.id,
  onEntry: (entry) => {
    last = entry;
  },
}).catch((error) => fail(error.message, 2));
const [finding] = findings;
if (finding) fail(`${finding.message}: export the log again, or ask who changed it`);
console.log(
  `entries ${first.id} to ${last.id} of tenant ${last.tenant_id} are a chain, with the hash ${last.hash}`,
);
if (file) console.log('the checkpoint proves these entries');
else {
  console.error(
    'No checkpoint was passed: this shows only that the file is consistent, not that it is the original log.',
  );
}

async function* all() {
  yield first;
  yield* entries;
}

async function* entriesIn(path) {
  const input = createReadStream(path).on('error', (error) => refuse('log', path, error));
  let lines = 0;
  for await (const line of createInterface({ input })) {
    lines++;
    yield (
      entryIn(line) ??
        fail(`line ${lines} of the log must be an audit entry: pass a file that \`eaas audit export\` wrote`)
    );
  }
}

function entryIn(line) {
  try {
    const entry = JSON.parse(line);
    return Number.isInteger(entry.id) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function refuse(what, file, { code }) {
  fail(`the ${what} must be a file that this program can read (got ${code} for ${file}): pass its path`, 2);
}

function fail(reason, code = 1) {
  console.error(`NOT VERIFIED: ${reason}`);
  process.exit(code);
}
