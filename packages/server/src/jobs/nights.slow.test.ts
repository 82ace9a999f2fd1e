import { beforeEach, describe, expect, test } from 'vitest';
import { isTurn, lastNight, verifyNightly } from './verify-nightly.ts';
import { alone } from '@eaas/test-kit/alone';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';
import { openAttacker, tables } from '@eaas/test-kit/attacker';

const nights = 30;
const day = 24 * 60 * 60 * 1_000;
const hour = 60 * 60 * 1_000;

const world = await testWorld();
const attacker = await openAttacker(world);
const [ann, ben] = [await settle(world.replica(), 'ann'), await settle(world.replica(), 'ben')];
const api = apiOf(world.replica(), ann.token);
const newKey = async (name: string) => (await api('POST /v1/keys', { name })).key_id;
const [busy, disabled, spare] = [await newKey('busy'), await newKey('disabled'), await newKey('spare')];
await attacker.keep('earlier');
await api('POST /v1/keys/:key_id/disable', { key_id: disabled });
const old = 3;
const next = (await api('GET /v1/audit/checkpoint', {})).id + 1;
let firstNight = Math.ceil(world.time / day);
while (!isTurn(ann.tenantId, firstNight - 1, firstNight)) firstNight++;
await verify(firstNight);
await attacker.keep('verified');
beforeEach(() => attacker.restore('verified'));

async function verify(night: number): Promise<string[]> {
  world.time = night * day + 3 * hour;
  const found: string[] = [];
  await verifyNightly(world.replica(), alone(), (tenantId, findings) => {
    const name = tenantId === ann.tenantId ? '' : 'ben: ';
    found.push(...findings.map(({ id, reason }) => `${name}${id} ${reason}`));
  });
  return found;
}

async function wrapAt(night: number): Promise<void> {
  world.time = night * day + 12 * hour;
  await apiOf(world.replica(), ann.token)('POST /v1/keys/:key_id/wrap', { key_id: spare, dek });
}

const spoil = (id: number) =>
  attacker.sql`update eaas.audit_entries set actor = 'nobody' where tenant_id = ${ann.tenantId} and id = ${id}`;

describe('the entries since the last verification', () => {
  test('an entry that was changed is found in the next night', async () => {
    await wrapAt(firstNight);
    await spoil(next);
    expect(await verify(firstNight + 1)).toEqual([`${next} entry_changed`]);
  });
});

describe('older entries and rows', () => {
  const sql = (text: string) => attacker.sql.unsafe(text);
  const attacks: readonly (readonly [string, () => Promise<unknown>, () => string])[] = [
    ['a changed entry', () => spoil(old), () => `${old} entry_changed`],
    ['a removed key', () => sql(`delete from eaas.keys where key_id = '${busy}'`), () => 'rows_differ'],
    [
      'a key that was put back',
      () => attacker.putBack('earlier', 'keys', `key_id = '${disabled}'`),
      () => `key_put_back: ${disabled}`,
    ],
  ];

  test.each(attacks)('%s is found within 30 nights', async (_, attack, found) => {
    await attack();
    let findings: string[] = [];
    for (let night = 1; findings.length === 0 && night <= nights; night++) {
      await wrapAt(firstNight + night - 1);
      findings = await verify(firstNight + night);
    }
    expect(findings).toContainEqual(expect.stringContaining(found()));
  });

  test('the verification reports a finding every night, even if somebody restores an older marker', async () => {
    await spoil(old);
    expect(await verify(firstNight + nights)).toEqual([`${old} entry_changed`]);
    expect(await verify(firstNight + nights + 1)).toEqual([`${old} entry_changed`]);
    await attacker.putBack('verified', 'verifications', 'true');
    expect(await verify(firstNight + nights + 2)).toEqual([`${old} entry_changed`]);
  });
});

describe('a marker that is not authentic is not trusted', () => {
  beforeEach(async () => {
    await wrapAt(firstNight);
    await spoil(old);
  });

  test('if the marker of the last verification is valid, the next verification reads only later entries', async () => {
    expect(await verify(firstNight + 1)).toEqual([]);
  });

  test.each(['night = night - 1', 'id = id + 1', 'hash = sha256(hash)', "mac = ''"])(
    'after the change %s of the marker, the next verification reads the whole log',
    async (change) => {
      await attacker.sql.unsafe(
        `update eaas.verifications set ${change} where tenant_id = '${ann.tenantId}'`,
      );
      expect(await verify(firstNight + 1)).toEqual([`${old} entry_changed`]);
    },
  );

  test.each([
    ['removed', () => attacker.sql`delete from eaas.verifications`],
    [
      'replaced by the marker of another tenant',
      async () => {
        await attacker.sql`delete from eaas.verifications where tenant_id = ${ann.tenantId}`;
        await attacker.sql`update eaas.verifications set tenant_id = ${ann.tenantId} where tenant_id = ${ben.tenantId}`;
      },
    ],
  ])('after the marker was %s, the nightly verification reads the whole log', async (_, attack) => {
    await attack();
    expect(await verify(firstNight + 1)).toEqual([`${old} entry_changed`]);
  });

  test('the nightly verification runs even if a forged record says that it has run', async () => {
    await attacker.sql`update eaas.verifications set night = ${firstNight + nights} where hash = ''`;
    expect(await verify(firstNight + nights)).toEqual([`${old} entry_changed`]);
  });

  test('the service does not return a forged result of the nightly verification', async () => {
    expect(await lastNight(world.replica())).toMatchObject({ broken: 0 });
    await attacker.sql`update eaas.verifications set broken = 3`;
    expect(await lastNight(world.replica())).toBeUndefined();
  });
});

test('the nightly verification reports a log without the entry at which the last verification ended', async () => {
  await wrapAt(firstNight);
  expect(await verify(firstNight + 1)).toEqual([]);
  for (const table of tables.filter((one) => one !== 'verifications')) {
    await attacker.putBack('verified', table, 'true');
  }
  expect(await verify(firstNight + 2)).toEqual([`${next} checkpoint_ahead`]);
  await wrapAt(firstNight + 2);
  expect(await verify(firstNight + 3)).toEqual([]);
});
