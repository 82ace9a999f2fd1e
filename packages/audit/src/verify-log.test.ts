import { type EaasError, InputError } from '@eaas/protocol';
import { playLog, type PlayedLog } from '@eaas/test-kit/played-log';
import { runs } from '@eaas/test-kit/cases';
import { witnessedLog } from '@eaas/test-kit/witnessed-log';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AuditEntry, type AuditReport, verifyLog, type VerifyLogOptions, verifyProof } from './index.ts';

const signed = async (log: PlayedLog) => {
  const { checkpoint, verifier_key: verifierKey } = await log.call('GET /v1/audit/checkpoint', {});
  return { checkpoint, verifierKey };
};
/** A few turns of the event loop, as a receiver of entries takes. */
const arrivals = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const purgedIn = (log: PlayedLog) => () => log.call('GET /v1/audit/verify', {});
const found = ({ findings }: AuditReport): string[] => findings.map(({ code, id }) => `${code} ${id}`);

const change = (members: object) => (log: PlayedLog) => log.change(150, members);
const otherTenant = '00000000-0000-4000-8000-00000000000a';
const cases: readonly (readonly [string, (log: PlayedLog) => unknown, readonly string[]])[] = [
  ['an actor is changed', change({ actor: 'nobody' }), ['entry_changed 150']],
  ['a number is a text', change({ key_version: '1' }), ['entry_changed 150']],
  ['a member is missing', change({ ip_address: undefined }), ['entry_changed 150']],
  ['text is malformed', change({ metadata: { nth: '\ud800' } }), ['entry_changed 150']],
  ['a date has another form', change({ created_at: '2026-09-01T00:00:00.149+00:00' }), ['entry_changed 150']],
  [
    'an entry gets older',
    change({ created_at: '2020-01-01T00:00:00.000Z' }),
    ['entry_changed 150', 'time_went_back 150'],
  ],
  ['a tenant is changed', change({ tenant_id: otherTenant }), ['entry_changed 150']],
  ['a salt is changed', change({ salt: '00'.repeat(16) }), ['entry_changed 150']],
  ['a salt is removed', change({ salt: undefined }), ['entry_changed 150']],
  [
    'a salt is written in capitals',
    (log) => log.change(150, { salt: log.at(150).salt.toUpperCase().replace(/^\d/, 'A') }),
    ['entry_changed 150'],
  ],
  [
    'a salt is that of another entry',
    (log) => log.change(150, { salt: log.at(9).salt }),
    ['entry_changed 150'],
  ],
  ['a hash is changed', change({ hash: 'ab'.repeat(32) }), ['entry_changed 150', 'entry_changed 151']],
  ['an entry is removed', (log) => log.entries.splice(149, 1), ['entry_missing 150']],
  ['the first entries are removed', (log) => log.entries.splice(0, 20), ['entry_missing 1']],
  ['the last entry is removed', (log) => log.entries.pop(), ['entry_missing 250']],
  [
    'all entries are removed',
    (log) => {
      log.entries = [];
    },
    ['entry_missing 1'],
  ],
  ['an entry occurs twice', (log) => log.entries.splice(150, 0, log.at(150)), ['entry_unexpected 150']],
  [
    'two entries are swapped',
    (log) => log.entries.splice(149, 2, log.at(151), log.at(150)),
    ['entry_missing 150', 'entry_unexpected 150'],
  ],
  ['an entry and all later hashes are changed', (log) => log.rewrite(150), ['checkpoint_mismatch 250']],
];
test.each(cases)('it is a finding, and no state is returned, if %s', async (_, change, findings) => {
  const log = playLog(250);
  const given = await signed(log);
  change(log);
  const report = await verifyLog(log.entries, given);
  expect(found(report)).toEqual(findings);
  expect(report).toMatchObject({ ok: false, state: null });
});

test.each([
  ['a tenant that is no UUID', { tenant_id: '\u001b[2K' }],
  ['a tenant in capitals', { tenant_id: otherTenant.toUpperCase() }],
  ['a tenant that is no text', { tenant_id: [otherTenant] }],
  ['a hash that is none', { hash: '\u001b[2K' }],
])('a value with %s is no entry', async (_, members) => {
  const log = playLog(2);
  log.change(2, members);
  await expect(verifyLog(log.entries)).rejects.toThrow('got another value after entry 1)');
});

test('any random change of the entries is a finding', async () => {
  const log = playLog(230);
  const given = await signed(log);
  const edit = fc.record({ nth: fc.nat(229), kind: fc.nat(5) });
  await fc.assert(
    fc.asyncProperty(edit, async ({ nth, kind }) => {
      const entries = structuredClone(log.entries);
      const [entry, other] = [entries[nth], entries[(nth + 7) % 230]] as [AuditEntry, AuditEntry];
      if (kind === 0) entries.splice(nth, 1);
      else if (kind === 1) entries.splice(nth, 0, { ...entry, id: entry.id + 1 });
      else if (kind === 2) entries.splice(nth, 1, { ...other, id: entry.id });
      else if (kind === 3) entry.metadata['nth'] = 'another';
      else if (kind === 4) entry.hash = 'ab'.repeat(32);
      else entries.splice((nth + 7) % 229, 0, ...entries.splice(nth, 1));
      expect((await verifyLog(entries, given)).ok).toBe(false);
    }),
    { numRuns: runs(60) },
  );
});

describe('without a checkpoint', () => {
  test('the entries are only shown to be consistent', async () => {
    const log = playLog(20);
    const report = await verifyLog(log.entries);
    expect(report).toEqual({
      ok: true,
      findings: [],
      checked: 20,
      comparedSince: 1,
      checkpoint: null,
      state: null,
    });
    log.change(9, { actor: 'nobody' });
    expect(found(await verifyLog(log.entries))).toEqual(['entry_changed 9']);
    log.rechain();
    expect((await verifyLog(log.entries)).ok).toBe(true);
  });

  test('a part of a log is verified after its first entry, whose hash nobody can know', async () => {
    const part = playLog(20).entries.slice(10);
    expect(await verifyLog(part, { from: 11 })).toMatchObject({ ok: true, checked: 9 });
    expect(found(await verifyLog(part))).toEqual(['entry_missing 1']);
  });
});

test('older checkpoints that were kept are compared with the log', async () => {
  const log = playLog(100);
  const earlier = [(await signed(log)).checkpoint];
  log.append(50);
  const verify = async (more = earlier) => verifyLog(log.entries, { ...(await signed(log)), earlier: more });
  expect(await verify()).toMatchObject({ ok: true });
  const { checkpoint: foreign } = await signed(playLog(100));
  expect(await verify([foreign])).toMatchObject({ findings: [{ code: 'checkpoint_invalid' }], checked: 0 });
  log.rewrite(90);
  expect(found(await verify())).toEqual(['checkpoint_mismatch 100']);
  log.entries.splice(80);
  expect(found(await verify())).toEqual(['checkpoint_ahead 100']);
});

test('proofs of the public log are compared with the entries', async () => {
  const log = witnessedLog(50);
  const proofs = [await verifyProof(log.moment(), log.policy)];
  log.append(10);
  expect(await verifyLog(log.entries, { proofs })).toMatchObject({ ok: true });
  expect(found(await verifyLog(log.entries.slice(0, 40), { proofs }))).toEqual(['proof_mismatch 50']);
  const foreign = proofs.map((one) => ({ ...one, tenantId: '00000000-0000-4000-8000-000000000002' }));
  expect(found(await verifyLog(log.entries, { proofs: foreign }))).toEqual(['proof_invalid null']);
  log.rewrite(40);
  expect(found(await verifyLog(log.entries, { proofs }))).toEqual(['proof_mismatch 50']);
});

describe('purged entries', () => {
  test('are missing, unless the service names the hash of the last one', async () => {
    const log = playLog(300);
    log.purge(150);
    const given = await signed(log);
    expect(found(await verifyLog(log.entries, given))).toEqual(['entry_missing 1']);
    log.change(151, { actor: 'nobody' });
    const report = await verifyLog(log.entries, { ...given, purged: purgedIn(log) });
    expect(found(report)).toEqual(['entry_changed 151']);
  });

  test('that are still shown are no finding, if they were purged meanwhile', async () => {
    const log = playLog(300);
    log.purge(100);
    const shown = [...log.entries];
    log.purge(150);
    const report = await verifyLog(shown, { ...(await signed(log)), purged: purgedIn(log) });
    expect(report).toMatchObject({ ok: true, checked: 150 });
  });

  // Above 200,000 rows, the service has not compared them all, and says null.
  test.each([
    [true, []],
    [null, []],
    [false, ['service_verification_failed null']],
  ])('of a log that the service finds valid: %s', async (valid, findings) => {
    const log = playLog(50);
    log.purge(20);
    const purged = async () => ({ ...(await purgedIn(log)()), valid });
    expect(found(await verifyLog(log.entries, { ...(await signed(log)), purged }))).toEqual(findings);
  });

  test.each<[string, object]>([
    ['an anchor without a hash', { purged_through: { id: 20 } }],
    ['an anchor without an id', { purged_through: { hash: 'ab'.repeat(32) } }],
    ['no errors', { errors: undefined }],
  ])('are not accepted if the service names %s', async (_, answer) => {
    const log = playLog(50);
    log.purge(20);
    const purged = async () => ({ ...(await purgedIn(log)()), ...answer }) as never;
    const given = { ...(await signed(log)), purged };
    await expect(verifyLog(log.entries, given)).rejects.toMatchObject({ code: 'invalid_response' });
  });
});

describe('the state of a check', () => {
  test('needs the entries from the last one that was read', async () => {
    const log = playLog(100);
    const { state } = await verifyLog(log.entries, await signed(log));
    log.append(20);
    const { checkpoint } = await signed(log);
    const next = await verifyLog(log.entries.slice(99), { checkpoint, state });
    expect(next).toMatchObject({ ok: true, checked: 20, state: { read: { id: 120 }, checkpoint } });
    const gap = await verifyLog(log.entries.slice(100), { checkpoint, state });
    expect([found(gap), gap.state]).toEqual([['entry_missing 100'], state]);
  });

  test('of an interrupted check lets another go on', async () => {
    const log = playLog(2_500);
    const given = await signed(log);
    const stop = new Error('the process ends');
    const kept: unknown[] = [];
    const interrupted = verifyLog(log.entries, {
      ...given,
      onEntry: ({ id }) => {
        if (id === 2_400) throw stop;
      },
      onProgress: ({ id, through, state }) => void kept.push([id, through, state]),
    });
    await expect(interrupted).rejects.toBe(stop);
    const [, [id, through, state]] = kept as [unknown, [number, number, object]];
    expect([kept.length, id, through, state]).toMatchObject([2, 2_000, 2_500, { read: { id: 2_000 } }]);
    const rest = log.entries.slice(1_999);
    expect(await verifyLog(rest, { ...given, state })).toMatchObject({ ok: true, checked: 500 });
    log.entries.splice(1_500, 1);
    const states: unknown[] = [];
    await verifyLog(log.entries, { ...given, onProgress: ({ state }) => void states.push(state?.read.id) });
    expect(states).toEqual([1_000, undefined]);
  });

  test.each<[string, keyof Pick<VerifyLogOptions, 'onEntry' | 'onProgress' | 'purged'>]>([
    ['an entry', 'onEntry'],
    ['the progress', 'onProgress'],
    ['what was purged', 'purged'],
  ])('ends with what an asynchronous function that is told %s throws', async (_, name) => {
    const log = playLog(1_000);
    const given = await signed(log);
    const stop = new Error('the receiver is down');
    const told = { [name]: async () => arrivals().then(() => Promise.reject(stop)) };
    const entries = name === 'purged' ? log.entries.slice(500) : log.entries;

    await expect(verifyLog(entries, { ...given, ...told })).rejects.toBe(stop);
  });

  test('is told of one entry after the other, however long an asynchronous receiver takes', async () => {
    const log = playLog(3);
    const events: string[] = [];
    const onEntry = async ({ id }: AuditEntry) => {
      events.push(`begins ${id}`);
      await arrivals();
      events.push(`ends ${id}`);
    };

    await verifyLog(log.entries, { ...(await signed(log)), onEntry });

    expect(events).toEqual([1, 2, 3].flatMap((id) => [`begins ${id}`, `ends ${id}`]));
  });

  test.each<[string, unknown, object]>([
    ['a text', '{}', {}],
    ['an empty object', {}, {}],
    ['of another version', undefined, { version: 2 }],
    ['without the hash of what was read', undefined, { read: { id: 1, hash: 'x' } }],
    ['with a proof without its head', undefined, { witnessed: { proof: 'x' } }],
  ])('is refused if it is %s', async (_, other, changes) => {
    const log = playLog(3);
    const given = await signed(log);
    const { state } = await verifyLog(log.entries, given);
    const changed = verifyLog(log.entries, { ...given, state: other ?? { ...state, ...changes } });
    await expect(changed).rejects.toThrow(InputError);
  });
});

test('an error of the source is thrown, but after a finding the findings are returned', async () => {
  const log = playLog(100);
  const given = await signed(log);
  const down = new Error('not now');
  const failing = async function* (entries: readonly AuditEntry[]) {
    yield* entries;
    throw down;
  };
  await expect(verifyLog(failing(log.entries.slice(0, 50)), given)).rejects.toBe(down);
  const [first, , ...rest] = log.entries.slice(0, 50) as [AuditEntry, ...AuditEntry[]];
  expect(found(await verifyLog(failing([first, ...rest]), given))).toEqual(['entry_missing 2']);
});

test('no more than 100 findings are reported, and nothing is read after them', async () => {
  const entries = playLog(500).entries.filter(({ id }) => id % 2 === 0);
  const source = entries.values();
  expect((await verifyLog(source)).findings).toHaveLength(100);
  expect(source.next().value).toBe(entries[100]);
});

const { verifierKey: aKey } = await signed(playLog(1));

test.each<[string, unknown, VerifyLogOptions, string]>([
  ['entries that are none', 7, {}, 'an iterable or async iterable'],
  ['a value that is no entry', [{ id: '1' }], {}, 'got another value after entry 0'],
  ['null in place of an entry', [null], {}, 'got another value after entry 0'],
  ['a misspelt option', [], { verifier_key: 'x' } as object, 'did you mean `verifierKey`?'],
  ['a checkpoint without a key', [], { checkpoint: 'x' }, '`checkpoint` needs `verifierKey`'],
  ['a key without a checkpoint', [], { verifierKey: aKey }, 'need `checkpoint`'],
  ['a key that is none', [], { checkpoint: 'x', verifierKey: 'x' }, 'must be the whole text `eaas/'],
])('%s is an InputError', async (_, entries, options, message) => {
  const error: unknown = await verifyLog(entries as never, options).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(InputError);
  expect((error as EaasError).message).toContain(message);
});

test('a part cannot be compared with a proof or a checkpoint of an entry before it', async () => {
  const log = witnessedLog(5);
  const proofs = [await verifyProof(log.moment(), log.policy)];
  const given = await signed(log);
  log.append(5);
  const part = log.entries.slice(7);
  const refusal = 'is of entry 5, and was not compared';
  await expect(verifyLog(part, { from: 8, proofs })).rejects.toThrow(refusal);
  await expect(verifyLog(part, { from: 8, ...given })).rejects.toThrow(refusal);
  await expect(verifyLog([], { from: 8, ...given })).rejects.toThrow(refusal);
});
