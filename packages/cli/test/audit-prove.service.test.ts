import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseExtra, parseNote, parseTlogProof, parseTreeHead } from '@eaas/protocol/internal-log';
import { type EntryProof, verifyProof } from '@eaas/audit';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { commandLine, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { madeUpLog } from '@eaas/test-kit/made-up-log';

const eaas = await commandLine();
const connection = { ...eaas.database.connection('superuser'), max: 1 };
const sql = await closing(postgres(connection), (it) => it.end());
const folder = await newDirectory();
const log = madeUpLog();
const policy = join(folder, 'policy.txt');
await writeFile(policy, log.policy);
await eaas.json('tenant', 'create', '--name', 'acme');
for (const name of ['one', 'two', 'three']) {
  await eaas.json('key', 'create', '--tenant', 'acme', '--name', name);
}

/** Writes the first moment of the public log into the database, as a server does. */
async function witness(): Promise<void> {
  type Head = { tenant_id: string; id: number; hash: string };
  const [head] = await eaas.json<Head>('audit', 'checkpoint', '--tenant', 'acme');
  const { tenant_id: tenantId = '', id = 0, hash = '' } = head ?? {};
  const own = { tenantId, id, hash: Uint8Array.from(Buffer.from(hash, 'hex')) };
  const time = Date.now();
  const { extra, checkpoint = '' } = parseTlogProof(log.prove(tenantId, log.moment([own], time))) ?? {};
  const { origin = '', root = new Uint8Array() } = parseTreeHead(parseNote(checkpoint)?.text ?? '') ?? {};
  expect(parseExtra(extra ?? new Uint8Array())?.path).toEqual([]);
  await sql`insert into eaas.log_keys values (${origin}, '', '', '', ${time})`;
  await sql`insert into eaas.log_tiles values (${origin}, 0, 0, ${root})`;
  await sql`insert into eaas.log_moments values (${origin}, 0, ${time}, ${root}, ${checkpoint}, true)`;
  await sql`insert into eaas.log_proofs values (${tenantId}, ${id}, ${own.hash}, '', ${origin}, 0, ${time}, '')`;
}

const prove = (...args: readonly string[]) => eaas('audit', 'prove', '--tenant', 'acme', '--entry', ...args);

test('audit prove writes a proof that anyone verifies, and says what it contains', async () => {
  await witness();
  await eaas.json('key', 'create', '--tenant', 'acme', '--name', 'four');
  const { code, stdout, stderr } = await prove('2', '--policy', policy);
  expect(code).toBe(0);
  expect(stderr).toBe(
    'The proof contains the whole entry, with ids of people, an IP address and a context. Read it before you hand it on.\n',
  );
  const proof = JSON.parse(stdout) as EntryProof;
  expect(await verifyProof(proof, log.policy)).toMatchObject({
    entry: { id: 2, action: 'key.create' },
    id: 3,
    witnesses: ['north', 'south'],
  });
  expect((await prove('4')).code).toBe(1);
});

const gather = (...args: readonly string[]) => eaas('audit', 'evidence', '--tenant', 'acme', ...args);
const check = (out: string, ...args: readonly string[]) =>
  eaas('audit', 'verify-file', join(out, 'entries.ndjson'), ...args);

test('audit evidence writes a folder that anyone verifies, whole or of one key, with the same head', async () => {
  const [whole, part] = [join(folder, 'whole'), join(folder, 'part')];
  const made = await gather('--out', whole, '--json');
  expect([made.code, JSON.parse(made.stdout)]).toMatchObject([
    0,
    { folder: whole, valid: true, hidden: 0, first_id: 1 },
  ]);
  expect(made.stderr).toContain('read them before you hand the folder on');
  expect((await readdir(whole)).toSorted()).toEqual(['README.txt', 'entries.ndjson', 'proof.txt']);
  expect((await stat(join(whole, 'entries.ndjson'))).mode & 0o777).toBe(0o600);
  const proven = ['--proof', join(whole, 'proof.txt'), '--policy', policy];
  expect(await check(whole, ...proven)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('existed, as they are here'),
  });
  await gather('--key', 'two', '--out', part);
  const text = await readFile(join(part, 'entries.ndjson'), 'utf8');
  expect(text.match(/"name":"\w+"/g)).toEqual(['"name":"two"']);
  expect((await check(part)).stderr).toContain('is hidden: pass --partial');
  const { stderr, stdout } = await check(part, '--partial', ...proven);
  expect(stderr).toContain('They can be about the same key or the same person');
  expect(stdout).toBe((await check(whole, ...proven)).stdout);
});

test.each<[string, readonly string[], number, string]>([
  ['exists', ['--out', folder], 2, 'exists: pass the path of a new folder'],
  ['has no parent', ['--out', join(folder, 'none', 'x')], 2, 'cannot be created (ENOENT)'],
  [
    'would be empty',
    ['--out', join(folder, 'x'), '--from', '2020-01-01', '--to', '2020-12-31'],
    2,
    'there is nothing to show',
  ],
  [
    'is of no day',
    ['--out', join(folder, 'x'), '--from', '2020-02-31'],
    2,
    'Pass a day, such as 2026-07-01.',
  ],
  ['is of no key', ['--out', join(folder, 'x'), '--key', 'none'], 1, 'no key with this id or name'],
])('audit evidence leaves no folder that %s', async (_, args, code, message) => {
  expect(await refusalOf(gather(...args), code)).toContain(message);
  expect((await readdir(folder)).filter((name) => /^(?:x|.*\.part)$/.test(name))).toEqual([]);
});

test('audit prove --out writes a new file that only its owner can read', async () => {
  const out = join(folder, 'entry.json');
  const { code, stdout } = await prove('3', '--out', out, '--json');
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { file: out, entry: 3, digests: 0 }]);
  expect((await stat(out)).mode & 0o777).toBe(0o600);
  const { code: verified } = await eaas('audit', 'verify-file', '--proof', out, '--policy', policy);
  expect(verified).toBe(0);
  const before = await readFile(out, 'utf8');
  expect(await prove('2', '--out', out)).toMatchObject({ code: 2 });
  expect(await readFile(out, 'utf8')).toBe(before);
});

test('audit prove refuses too many entries, and a proof that other witnesses signed', async () => {
  expect(await refusalOf(prove('1', '--max-entries', '2'), 2)).toContain(
    'pass --max-entries to allow so many',
  );
  await writeFile(policy, madeUpLog().policy);
  expect(await refusalOf(prove('1', '--policy', policy), 1)).toContain(
    'The proof is refused: no log of the policy',
  );
});

test('audit verify compares the log with what the public log has proved, if it is on', async () => {
  const { tenant_id = '' } =
    (await sql<{ tenant_id: string }[]>`select tenant_id from eaas.log_proofs`)[0] ?? {};
  const on = eaas.with({ EAAS_LOG_POLICY_FILE: policy });
  expect((await on('audit', 'verify')).code).toBe(0);
  await sql`insert into eaas.log_proofs values (${tenant_id}, 2, ${Buffer.alloc(32)}, '', 'another', 0, 0, '')`;
  const { code, stdout } = await on('audit', 'verify');
  expect([code, stdout]).toEqual([1, expect.stringMatching(/: BROKEN, .*\n {2}entry 2: proof_mismatch\n$/)]);
  expect((await eaas('audit', 'verify')).code).toBe(0);
});

test('audit evidence of a period has its days, and the head before them', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const out = join(folder, 'today');
  await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`alter table eaas.audit_entries disable trigger all`;
    await sql`update eaas.audit_entries set created_at = created_at - 86400000 * 3 where id < 3`;
  });
  const made = await gather('--from', today, '--to', today, '--out', out, '--json');
  // The text of an entry was changed, which the folder shows.
  expect([made.code, JSON.parse(made.stdout)]).toMatchObject([
    1,
    { first_id: 2, before: { id: 1 }, errors: [{ id: 2 }] },
  ]);
});
