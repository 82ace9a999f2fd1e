import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { finish } from '@eaas/test-kit/finish';
import { destroyTenant, type Lease, openPool } from '@eaas/server/internal';
import { buildPrefixTree, bundleEntries, consistencyProof, rootFromTiles } from '@eaas/protocol/internal-log';
import { alone } from '@eaas/test-kit/alone';
import { verifyConsistency } from '@eaas/test-kit/consistency';
import { apiOf, settle } from '@eaas/test-kit/world';
import { expect, onTestFinished, test } from 'vitest';
import { logStatus } from '../src/keys.ts';
import { headOf, makeMoment } from '../src/moment.ts';
import { act, begunLog, origin, ownLog } from './own-log.ts';

test('a moment proves the head of each tenant, and whoever has the policy can verify it', async () => {
  const log = await ownLog();
  const [ann, bob] = [await settle(log.service, 'ann'), await settle(log.service, 'bob')];
  await act(log.service, ann);
  await log.moment();
  await log.witnessed();
  for (const tenant of [ann, bob]) {
    const proof = await log.prove(tenant);
    expect(await log.verify(proof)).toEqual({
      tenantId: tenant.tenantId,
      ...(await log.head(tenant)),
      before: new Date(log.world.time),
      claimedTime: new Date(log.world.time),
      origin,
      index: 0,
      size: 1,
      witnesses: ['one'],
    });
  }
});

test('a moment without a quorum of witnesses is proved by the next one that has it', async () => {
  const { log, ann } = await begunLog();
  await expect(log.prove(ann).then(log.verify)).rejects.toMatchObject({ code: 'proof_quorum' });
  for (let more = 0; more < 3; more++) {
    await act(log.service, ann);
    await log.later();
  }
  await log.witnessed();
  await log.witnessed();
  expect(await log.verify(await log.prove(ann, 1))).toMatchObject({ index: 0, size: 4, id: 1 });
});

test('while no head moves, nothing is written', async () => {
  const { log } = await begunLog();
  const written = () => log.sql`
    select (select count(*) from eaas.log_moments) as moments, (select count(*) from eaas.log_proofs) as proofs,
      (select array_agg(xmin::text) from eaas.log_tiles) as tiles`;
  const before = [...(await written())];
  await log.later();
  await log.moment(log.processOf(log.world.replica()));
  expect([...(await written())]).toEqual(before);
});

test('only tenants whose head moved get a proof, and an entry gets the first proof at or after it', async () => {
  const { log, ann, bob } = await begunLog();
  await act(log.service, ann);
  await act(log.service, ann);
  await log.later();
  await log.witnessed();
  const rows = await log.sql`select tenant_id from eaas.log_proofs where index = 1`;
  expect(rows.map((row) => row['tenant_id'])).toEqual([ann.tenantId]);
  const { id } = await log.head(ann);
  expect(await log.verify(await log.prove(ann, 2))).toMatchObject({ id, index: 1 });
  expect(await log.verify(await log.prove(ann, 1))).toMatchObject({ id: 1, index: 0 });
  expect(await log.verify(await log.prove(bob))).toMatchObject({ index: 0, size: 2 });
});

test('moments are an interval apart, however many workers of however many replicas make them', async () => {
  const log = await ownLog();
  const ann = await settle(log.service, 'ann');
  const other = log.world.replica();
  const workers = [log.service, log.service, other].map((service) => log.processOf(service, 60));
  const newest = async (milliseconds: number) => {
    log.world.time += milliseconds;
    for (const worker of workers) {
      await act(log.service, ann);
      await log.moment(worker);
    }
    return (await log.newest())?.index;
  };
  expect([await newest(0), await newest(53_999), await newest(1), await newest(54_000)]).toEqual([
    0, 0, 1, 2,
  ]);
});

test('two workers that begin a moment at the same time make one', async () => {
  const log = await ownLog();
  await settle(log.service, 'ann');
  const workers = [log.service, log.world.replica()].map((service) => log.processOf(service, 60));
  const meeting = new EventEmitter();
  let begun = 0;
  const meet = async () => {
    begun++;
    if (begun === workers.length) meeting.emit('all');
    else await once(meeting, 'all');
  };
  await Promise.all(workers.map((worker) => makeMoment(worker, alone(), meet)));
  expect([begun, await log.newest()]).toMatchObject([2, { index: 0 }]);
});

test('while the clock of the database is behind the newest moment, the log goes on', async () => {
  const log = await ownLog();
  const ann = await settle(log.service, 'ann');
  const worker = log.processOf(log.service, 60);
  await log.moment(worker);
  log.world.time -= 3_600_000;
  await act(log.service, ann);
  await log.moment(worker);
  expect(await log.newest()).toMatchObject({ index: 1, time: log.world.time + 3_600_000 });
});

test('a head that the role of the server changed for as long as one moment is never signed', async () => {
  const { log, ann, bob } = await begunLog();
  const proven = await log.head(ann);
  for (const tenant of [ann, bob]) await act(log.service, tenant);
  const own = await log.head(ann);
  const thief = openPool(log.world.database.connection('server'), 1);
  onTestFinished(() => thief.end());
  const setHash = (hash: Uint8Array) =>
    thief`update eaas.audit_heads set hash = ${hash} where tenant_id = ${ann.tenantId}`;
  await setHash(Buffer.alloc(32, 7));
  await log.later();
  expect(await log.root()).toBe(rootOf([ann, proven], [bob, await log.head(bob)]));
  expect(log.service.alarms.tamperingFound).toBe(1);
  await setHash(Buffer.from(own.hash ?? '', 'hex'));
  await log.later();
  await log.witnessed();
  expect(await log.verify(await log.prove(ann, own.id))).toMatchObject({ ...own, index: 2 });
  expect(await apiOf(log.withLog, ann.token)('GET /v1/audit/verify', {})).toMatchObject({ valid: true });
});

const hash7 = "hash = decode(repeat('07', 32), 'hex')";

test.each([
  ['the head of an idle tenant', true, [`update eaas.audit_heads set ${hash7}`]],
  ['a head with one entry more', true, [`update eaas.audit_heads set id = id + 1, ${hash7}`]],
  ['a hash of one byte', true, [String.raw`update eaas.audit_heads set hash = '\x07'`]],
  [
    'a head and its proof',
    false,
    [`update eaas.audit_heads set ${hash7}`, `update eaas.log_proofs set ${hash7}`],
  ],
  ['a head without a proof', false, [`update eaas.audit_heads set ${hash7}`, 'delete from eaas.log_proofs']],
])('no process signs what SQL wrote: %s', async (_, stays, statements) => {
  const { log, ann, bob } = await begunLog();
  const proven = await log.head(ann);
  for (const statement of statements) {
    await log.sql.unsafe(`${statement} where tenant_id = '${ann.tenantId}'`);
  }
  for (const each of [log.context, log.processOf(log.world.replica())]) {
    await act(log.service, bob);
    await log.moment(each);
    const own = await log.head(bob);
    expect(await log.root()).toBe(stays ? rootOf([ann, proven], [bob, own]) : rootOf([bob, own]));
    expect(each.service.alarms.tamperingFound).toBe(1);
  }
  expect(await log.newest()).toMatchObject({ index: 2 });
});

test('a proof that SQL wrote does not keep an authentic head out of the log', async () => {
  const { log, ann, bob } = await begunLog();
  await log.sql.unsafe(`update eaas.log_proofs set ${hash7} where tenant_id = '${ann.tenantId}'`);
  await act(log.service, bob);
  await log.moment();
  expect(await log.root()).toBe(rootOf([ann, await log.head(ann)], [bob, await log.head(bob)]));
});

test('verify finds what the log proved otherwise than the chain has it, if the log is on', async () => {
  const log = await ownLog();
  const ann = await settle(log.service, 'ann');
  await act(log.service, ann);
  await log.moment();
  const { id } = await log.head(ann);
  const verify = (service = log.withLog) => apiOf(service, ann.token)('GET /v1/audit/verify', {});
  expect(await verify()).toMatchObject({ valid: true });
  await log.sql.unsafe(`update eaas.log_proofs set ${hash7}`);
  await act(log.service, ann);
  await log.moment();
  expect(await verify()).toMatchObject({ valid: false, errors: [{ id, reason: 'proof_mismatch' }] });
  expect(await verify(log.service)).toMatchObject({ valid: true });
});

test('a proof that cannot be given says why', async () => {
  const log = await ownLog();
  const ann = await settle(log.service, 'ann');
  await expect(log.prove(ann)).rejects.toThrow('The public log has no head of this audit log yet');
  await log.moment();
  const { id } = await log.head(ann);
  await expect(log.prove(ann, id + 1)).rejects.toThrow(`has no entry ${id + 1}: its newest entry is ${id}.`);
  await act(log.service, ann);
  const due = new Date(log.world.time + 60_000).toISOString();
  await expect(log.prove(ann, id + 1)).rejects.toMatchObject({
    code: 'not_found',
    message: `The public log has no head at or after entry ${id + 1} yet: its next moment is due by ${due}.`,
  });
});

test('each replica extends the log of the others, and one that lost the lease adds nothing', async () => {
  const log = await ownLog();
  const ann = await settle(log.service, 'ann');
  const other = log.processOf(log.world.replica());
  await log.moment();
  await act(log.service, ann);
  await log.moment(other);
  await act(log.service, ann);
  const lost: Lease = { signal: new AbortController().signal, hold: () => Promise.reject(new Error('lost')) };
  await expect(makeMoment(log.context, lost)).rejects.toThrow('lost');
  expect(await log.newest()).toMatchObject({ index: 1 });
  await log.moment();
  expect(await log.newest()).toMatchObject({ index: 2 });
});

test('the log shows its entries and tiles, and every checkpoint extends those before', async () => {
  const log = await ownLog();
  const ann = await settle(log.service, 'ann');
  expect(await (await log.witnesses())?.newest()).toBeUndefined();
  expect(await log.read('checkpoint')).toBeUndefined();
  for (let made = 0; made < 260; made++) {
    await act(log.service, ann);
    await log.later(1_000);
  }
  const context = await log.witnesses();
  const newest = await context?.newest({ locked: true });
  const row = await log.newest();
  const head = row && headOf(row);
  if (!context || !newest || !head) throw new Error('the log must have a checkpoint (it has none)');
  expect([newest.size, head.size]).toEqual([260, 260]);
  for (const size of [1, 3, 255, 256, 257, 260]) {
    const proof = await consistencyProof(context.tiles, size, 260);
    const root = await rootFromTiles(context.tiles, size);
    expect(verifyConsistency({ size, root }, head, proof)).toBe(true);
  }
  await expect.poll(() => log.read('checkpoint')).toBe(newest.note);
  const tile = Buffer.from((await log.read('tile/0/000')) ?? '');
  expect(tile).toHaveLength(8_192);
  expect(await log.read('tile/0/001.p/4')).toHaveLength(128);
  expect(await log.read('tile/1/000.p/1')).toHaveLength(32);
  const entries = bundleEntries(Buffer.from((await log.read('tile/entries/000')) ?? ''));
  expect(entries).toHaveLength(256);
  const entry = Buffer.from(entries?.[7] ?? []).toString();
  expect(entry).toMatch(/^eaas\.moment\.v1\n\d{13}\n[\w+/]{43}=\n$/);
  const leaf = createHash('sha256').update(`\0${entry}`).digest();
  expect(tile.subarray(7 * 32, 8 * 32)).toEqual(leaf);
  expect(bundleEntries(Buffer.from((await log.read('tile/entries/000.p/3')) ?? ''))).toHaveLength(3);
  const absent = [
    'tile/0/001',
    'tile/0/001.p/5',
    'tile/entries/001',
    'tile/2/000',
    'tile/0/1',
    '../keys',
    '',
  ];
  for (const path of absent) expect(await log.read(path)).toBeUndefined();
});

/** The root of the tree of these heads, in hex. */
function rootOf(...heads: readonly (readonly [{ readonly tenantId: string }, Head])[]): string {
  const all = heads.map(([{ tenantId }, { id, hash }]) => ({
    tenantId,
    id,
    hash: Buffer.from(hash ?? '', 'hex'),
  }));
  return Buffer.from(finish(buildPrefixTree(all)).root).toString('hex');
}

type Head = Awaited<ReturnType<Awaited<ReturnType<typeof ownLog>>['head']>>;

const zeros = "decode(repeat('00', 32), 'hex')";

test.each([
  ['a leaf', `update eaas.log_tiles set bytes = overlay(bytes placing ${zeros} from 1) where level = 0`],
  ['one leaf more', 'update eaas.log_tiles set bytes = bytes || bytes where level = 0'],
  ['no tile', 'delete from eaas.log_tiles where level = 0'],
  ['an entry', "update eaas.log_tiles set bytes = overlay(bytes placing 'x'::bytea from 5) where level = -1"],
  ['one entry more', 'update eaas.log_tiles set bytes = bytes || bytes where level = -1'],
  ['a checkpoint', "update eaas.log_moments set note = replace(note, E'log\\n1\\n', E'log\\n2\\n')"],
  ['a signature', 'update eaas.log_moments set note = left(note, -20) || right(note, 10)'],
  ['no moment', 'delete from eaas.log_moments'],
])('after a change of the log (%s), it signs nothing any more', async (_, statement) => {
  const { log, ann } = await begunLog();
  await log.sql.unsafe(statement);
  await act(log.service, ann);
  const fresh = log.processOf(log.service);
  const before = [...(await log.sql`select note from eaas.log_moments`)];
  await log.moment(fresh);
  expect([...(await log.sql`select note from eaas.log_moments`)]).toEqual(before);
  const { halted } = await logStatus(log.service);
  expect(halted).toEqual(expect.any(String));
  expect(log.lines).toEqual([[{ origin, reason: halted }, 'the public log has stopped']]);
  await act(log.service, ann);
  await log.moment(fresh);
  await log.moment();
  expect(log.lines).toHaveLength(1);
  await expect(log.prove(ann, 4)).rejects.toThrow('was halted: ask the operator');
});

test('a process signs nothing that contradicts what it signed before the database was put back', async () => {
  const { log, ann } = await begunLog();
  const tables = ['log_tiles', 'log_moments'];
  for (const table of tables) await log.sql.unsafe(`create table old_${table} as table eaas.${table}`);
  await act(log.service, ann);
  await log.later();
  for (const table of tables) {
    await log.sql.unsafe(`delete from eaas.${table}; insert into eaas.${table} table old_${table}`);
  }
  await act(log.service, ann);
  await log.later();
  expect(await log.newest()).toMatchObject({ index: 0 });
  expect((await logStatus(log.service)).halted).toContain('the database was put back');
});

test('a destroyed tenant leaves no proof', async () => {
  const { log, ann, bob } = await begunLog();
  const owner = openPool(log.world.database.connection('owner'), 1);
  await destroyTenant(owner, ann.tenantId);
  await owner.end();
  const left = await log.sql`select tenant_id from eaas.log_proofs`;
  expect(left.map((row) => row['tenant_id'])).toEqual([bob.tenantId]);
  await log.later();
  await log.witnessed();
  expect(await log.verify(await log.prove(bob))).toMatchObject({ size: 2 });
});

test.each(['log_tiles', 'log_moments', 'log_proofs'])(
  'if the database fails while a moment writes %s, nothing of it is there, and the next one goes on',
  async (table) => {
    const { log, ann } = await begunLog();
    await act(log.service, ann);
    await log.sql.unsafe(`
      create function eaas.die() returns trigger language plpgsql as $$
      begin raise 'the disk is full'; end $$`);
    await log.sql.unsafe(
      `create trigger die before insert or update on eaas.${table} for each row execute function eaas.die()`,
    );
    const written = async () => [
      ...(await log.sql`select level, n, bytes from eaas.log_tiles order by level, n`),
      ...(await log.sql`select index, note from eaas.log_moments order by index`),
      ...(await log.sql`select tenant_id, id from eaas.log_proofs order by tenant_id, id`),
    ];
    const before = await written();
    await expect(log.moment()).rejects.toThrow('the disk is full');
    expect(await written()).toEqual(before);
    await log.sql.unsafe(`drop trigger die on eaas.${table}`);
    await log.moment();
    await log.witnessed();
    expect(await log.verify(await log.prove(ann))).toMatchObject({ index: 1, size: 2 });
  },
);
