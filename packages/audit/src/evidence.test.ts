import { entryDigest } from '@eaas/protocol/audit';
import { toHex } from '@eaas/protocol/internal';
import { type WitnessedLog, witnessedLog } from '@eaas/test-kit/witnessed-log';
import { describe, expect, test } from 'vitest';
import { genesisOf } from './entry.ts';
import { type AuditEntry, evidence, type EvidenceOptions, verifyFile } from './index.ts';

const subjectId = 'ab'.repeat(32);
const subject = subjectId.slice(0, 32);
const day = 86_400_000;
const keyIds = [0, 1, 2].map((nth) => `00000000-0000-4000-8000-00000000000${nth}`);

/** A log of ten entries on each of nine days, from September 1. Every fifth entry is about a person. */
function tenADay(): WitnessedLog {
  const log = witnessedLog(0);
  for (let id = 1; id <= 90; id++) {
    log.append(1, 'key.unwrap', { metadata: id % 5 === 0 ? { subject } : { row: `canary-${id}` } });
    log.time += day / 10;
    if (id === 44) log.moment();
    if (id === 57) log.moment();
  }
  return log;
}
const from = new Date('2026-09-03T00:00:00Z');
const to = new Date('2026-09-05T23:59:59.999Z');

async function folderOf(log: WitnessedLog, options: EvidenceOptions) {
  const files = new Map<string, string>();
  for await (const { name, text } of evidence(log, options)) files.set(name, (files.get(name) ?? '') + text);
  const text = files.get('entries.ndjson') ?? '';
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntry & { digest?: string });
  return { files, text, lines };
}
async function* bytesOf(text: string) {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 999) yield bytes.subarray(at, at + 999);
}
const verify = (text: string) => verifyFile(bytesOf(text), { allowHidden: true });

describe('the evidence of a period', () => {
  test('has the head before, the entry before, the period, the entry after it, and digests up to the proof', async () => {
    const log = tenADay();
    const { files, lines, text } = await folderOf(log, { from, to });
    expect([...files.keys()]).toEqual(['entries.ndjson', 'proof.txt', 'README.txt']);
    expect(lines[0]).toEqual(log.headAt(19));
    expect(lines.slice(1, 33)).toEqual(log.entries.slice(19, 51));
    expect(lines.slice(33)).toEqual(
      log.entries.slice(51, 57).map((entry) => ({ id: entry.id, digest: toHex(entryDigest(entry)) })),
    );
    expect(files.get('proof.txt')).toBe(log.proofs[1]?.proof);
    expect(files.get('README.txt')).toContain('Entries 20 to 57');
    expect(await verify(text)).toMatchObject({
      findings: [],
      before: log.headAt(19),
      last: log.headAt(57),
      hidden: 6,
    });
  });

  test('has no proof if the log has none', async () => {
    const log = tenADay();
    log.proofs.length = 0;
    const { files } = await folderOf(log, { from, to });
    expect([...files.keys()]).toEqual(['entries.ndjson', 'README.txt']);
  });

  test('is refused if nothing is in it, and if retention has deleted what shows that it is whole', async () => {
    const log = tenADay();
    const refusal = (options: EvidenceOptions) =>
      folderOf(log, options).catch((error: Error) => error.message);
    const early = { from: new Date('2026-08-01'), to: new Date('2026-08-02') };
    const late = { from: new Date('2027-08-01'), to: new Date('2027-08-02') };
    for (const options of [
      early,
      late,
      { ...early, from: undefined },
      { from: to, to: from },
      { keyId: 'x' },
    ]) {
      expect(await refusal(options)).toMatch(/^the audit log has no such entry/);
    }
    log.purge(19);
    expect((await folderOf(log, { from, to })).lines[0]).toEqual({
      id: 19,
      hash: await hashBefore(log),
    });
    log.purge(20);
    for (const options of [{ from, to }, { from }, early]) {
      expect(await refusal(options)).toMatch(
        /^entries up to 20 were deleted by retention.* 2026-09-03T00:00/,
      );
    }
    const rest = await folderOf(log, { to });
    expect(rest.lines[0]).toMatchObject({ id: 20 });
    expect(await verify(rest.text)).toMatchObject({ findings: [], first: { id: 21 } });
  });
});

const hashBefore = async (log: WitnessedLog) =>
  (await log.call('GET /v1/audit/verify', {})).purged_through?.hash;

describe('the evidence of a part', () => {
  test.each<[string, EvidenceOptions, (entry: AuditEntry) => boolean]>([
    ['about a person', { subjectId }, ({ metadata }) => metadata['subject'] === subject],
    ['of a key', { keyId: keyIds[2] }, ({ key_id }) => key_id === keyIds[2]],
    ['of both', { subjectId: subject, keyId: keyIds[1] }, ({ id }) => id % 5 === 0 && id % 3 === 1],
  ])('shows the entries %s, and of all others nothing but digests', async (_, options, isShown) => {
    const log = tenADay();
    const [whole, part] = [await folderOf(log, {}), await folderOf(log, options)];
    const shown = log.entries.filter(isShown);
    const [head, ...lines] = part.lines;
    expect(head).toEqual(genesisOf(log.tenantId));
    expect(lines.filter(({ digest }) => digest === undefined)).toEqual(shown);
    for (const { id } of log.entries.filter((entry) => !isShown(entry))) {
      expect(part.text).not.toContain(`canary-${id}"`);
      expect(Object.keys(lines[id - 1] ?? {})).toEqual(['id', 'digest']);
    }
    const found = await verify(part.text);
    expect(found).toMatchObject({ findings: [], entries: 90, hidden: 90 - shown.length });
    expect(found.last).toEqual((await verify(whole.text)).last);
    const period = await folderOf(log, { ...options, from, to });
    expect(await verify(period.text)).toMatchObject({
      findings: [],
      before: log.headAt(19),
      last: log.headAt(57),
    });
  });

  test('lets nobody confirm a guess of what a hidden entry says', async () => {
    const log = tenADay();
    const { lines } = await folderOf(log, { subjectId });
    const salts = ['', '00'.repeat(16), 'ff'.repeat(16), ...lines.flatMap(({ salt }) => salt ?? [])];
    let tried = 0;
    for (const { id, digest } of lines.filter((line) => line.digest !== undefined)) {
      const truth = log.at(id);
      const guesses = keyIds.flatMap((key_id) =>
        ['key.wrap', 'key.unwrap'].flatMap((action) =>
          [{ row: `canary-${id}` }, {}].map((metadata) => ({ key_id, action, metadata })),
        ),
      );
      const digestOf = (guess: object, salt: string) => toHex(entryDigest({ ...truth, ...guess, salt }));
      // The true text is among them, and its salt would confirm it.
      expect(guesses.filter((guess) => digestOf(guess, truth.salt) === digest)).toHaveLength(1);
      for (const guess of guesses) {
        for (const salt of salts) {
          tried++;
          expect(digestOf(guess, salt)).not.toBe(digest);
        }
      }
    }
    expect(tried).toBeGreaterThan(10_000);
  });

  test('is no more than what is asked: without one entry to show, there is none', async () => {
    await expect(folderOf(tenADay(), { subjectId: 'cd'.repeat(32) })).rejects.toThrow('nothing to show');
    for (const subjectId of ['', 'undefined', subject.slice(1)]) {
      await expect(folderOf(tenADay(), { subjectId })).rejects.toThrow('must be a `subject_id`');
    }
  });
});

test('a log with a gap is no evidence, nor is one with an entry that no service writes', async () => {
  const gap = tenADay();
  gap.pages = (page) => ({ ...page, logs: page.logs.filter(({ id }) => id < 40) });
  const strange = tenADay();
  strange.at(53).salt = 'x';
  for (const log of [gap, strange]) {
    await expect(folderOf(log, { from, to })).rejects.toMatchObject({ code: 'invalid_response' });
  }
});
