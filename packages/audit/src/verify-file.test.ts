import { InputError } from '@eaas/protocol';
import { escapeHidden } from '@eaas/protocol/internal';
import { playLog, type PlayedLog } from '@eaas/test-kit/played-log';
import { describe, expect, test } from 'vitest';
import { digestOf, genesisOf } from './entry.ts';
import { type AuditEntry, type FileReport, type HiddenEntry, verifyFile } from './index.ts';

type Options = Parameters<typeof verifyFile>[1];
const allowHidden = true;
const verify = (text: string, options: Options = { allowHidden }) =>
  verifyFile(new Blob([text]).stream(), options);
const verifyLines = (lines: readonly object[], options?: Options) =>
  verify(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), options);
/** The same line, with its members the other way round. */
const reversed = (line: string): string =>
  JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line) as object).toReversed()));
const found = ({ findings }: FileReport): string[] => findings.map(({ code, id }) => `${code} ${id}`);

describe('`verifyFile`', () => {
  test.each<[string, string, string]>([
    ['an empty file', '', 'the file has no entries'],
    ['a head alone', `{"id":3,"hash":"${'ab'.repeat(32)}"}\n`, 'the file has no entries'],
    ['other text', 'hello\n', 'line 1 is not an audit entry'],
    ['an empty line', '\n', 'line 1 is not an audit entry'],
    ['a line without an end', `{"id":1,"x":"${'x'.repeat(2_000_000)}`, 'line 1 is not an audit entry'],
    ['brackets without an end', '['.repeat(2_000_000), 'line 1 is not an audit entry'],
  ])('refuses %s', async (_, text, message) => {
    await expect(verify(text)).rejects.toThrow(message);
  });

  test('refuses a tenant that would be shown as a verdict, though its hashes are right', async () => {
    const log = playLog(2);
    for (const entry of log.entries) Object.assign(entry, { tenant_id: 'valid, entries 1 to 2\n\u001b[8m' });
    log.rechain();
    await expect(verifyLines(log.entries)).rejects.toThrow('line 1 is not an audit entry');
  });

  test('takes what other programs break lines at, and refuses a head that comes later', async () => {
    const log = playLog(0);
    log.append(2, 'key.wrap', { metadata: { text: '\u2028\r\u0085' } });
    const lines = log.entries.map((entry) => JSON.stringify(entry));
    expect(await verify(lines.join('\r\n'))).toMatchObject({ findings: [], entries: 2 });
    const head = JSON.stringify(log.headAt(1));
    await expect(verify([lines[0], head, lines[1]].join('\n'))).rejects.toThrow('line 2 is not');
    expect(await verify([head, lines[1]].join('\n'))).toMatchObject({ findings: [], before: { id: 1 } });
  });

  const second = (edit: (line: string) => string) => (lines: string[]) => lines.with(1, edit(lines[1] ?? ''));
  test.each<[string, (lines: string[]) => string[], string[]]>([
    [
      'a member that no hash covers',
      second((line) => line.replace('{', '{"note":"x",')),
      ['entry_changed 2'],
    ],
    ['hidden characters that are escaped', (lines) => lines.map(escapeHidden), []],
    ['the end of its last line', (lines) => [...lines, ''], []],
    ['CR LF', (lines) => lines.map((line) => `${line}\r`), []],
  ])('judges a file with %s', async (_, change, findings) => {
    const log = playLog(2);
    log.append(1, 'key.wrap', { metadata: { text: '\u202e\u009b\u2028' } });
    const lines = log.entries.map((entry) => JSON.stringify(entry));
    expect(found(await verify(change(lines).join('\n')))).toEqual(findings);
  });

  test.each<[string, (line: string) => string]>([
    ['a member twice, the genuine one last', (line) => line.replace('{', '{"actor":"x",')],
    ['a member twice, the genuine one first', (line) => line.replace(/\}$/, ',"actor":"x"}')],
    ['a member twice within another', (line) => line.replace('"metadata":{', '"metadata":{"nth":7,')],
    ['a member in another spelling', (line) => line.replace(/\}$/, String.raw`,"\u0061ctor":"x"}`)],
    ['a letter that is escaped', (line) => line.replace('"key.', String.raw`"\u006bey.`)],
    ['its members in another order', reversed],
    ['two members exchanged', (line) => line.replace(/("id":2),("tenant_id":"[^"]*")/, '$2,$1')],
    ['spaces', (line) => line.replace('"id":', '"id": ')],
    ['a space at its end', (line) => `${line} `],
    ['two ends', (line) => `${line}\r\r`],
    ['a number in another form', (line) => line.replace('"id":2', '"id":2.0')],
  ])('refuses a line with %s, as it was not exported so', async (_, change) => {
    const lines = playLog(3).entries.map((entry) => JSON.stringify(entry));
    const changed = lines.with(1, change(lines[1] ?? ''));
    expect(changed).not.toEqual(lines);
    await expect(verify(changed.join('\n'))).rejects.toThrow('line 2 is not an audit entry as exported');
  });

  test('refuses a hidden entry with its members in another order', async () => {
    const log = playLog(3);
    const lines = log.entries.map((entry) => JSON.stringify(entry));
    const hidden = JSON.stringify({ id: 2, digest: digestOf(log.at(2)) });
    expect(found(await verify(lines.with(1, hidden).join('\n')))).toEqual([]);
    await expect(verify(lines.with(1, reversed(hidden)).join('\n'))).rejects.toThrow(
      'line 2 is not an audit entry',
    );
  });

  test('refuses a hidden entry, and a head, with a member twice', async () => {
    const log = playLog(3);
    const [digest, head] = ['ab'.repeat(32), JSON.stringify(log.headAt(1))];
    const lines = log.entries.map((entry) => JSON.stringify(entry));
    const hidden = lines.with(1, `{"id":2,"digest":"${digest}","digest":"${digestOf(log.at(2))}"}`);
    await expect(verify(hidden.join('\n'))).rejects.toThrow('line 2 is not an audit entry');
    const begun = [head.replace('{', '{"id":9,'), ...lines.slice(1)];
    await expect(verify(begun.join('\n'))).rejects.toThrow('line 1 is not an audit entry');
  });

  test.each<[string, number, number, object[]]>([
    ['another head', 10, 12, [{ code: 'entry_changed', id: 12 }]],
    ['a head too early', 9, 12, [{ code: 'entry_missing', id: 10 }]],
    ['a head too late', 12, 12, [{ code: 'entry_unexpected', id: 12 }]],
  ])('finds %s before the first entry', async (_, id, first, findings) => {
    const log = playLog(20);
    const head = id === 10 ? { id: 11, hash: 'ab'.repeat(32) } : log.headAt(id);
    expect(await verifyLines([head, ...log.entries.slice(first - 1)])).toMatchObject({ findings });
  });
});

/** The log with only the digests of the entries that `hides` names. */
const part = (log: PlayedLog, hides: (id: number) => boolean): (AuditEntry | HiddenEntry)[] =>
  log.entries.map((entry) => (hides(entry.id) ? { id: entry.id, digest: digestOf(entry) ?? '' } : entry));
const verifyPart = (entries: readonly object[], options?: Options) =>
  verifyLines([genesisOf(playLog(0).tenantId), ...entries], options);
const twoOfThree = (id: number): boolean => id % 3 > 0;

describe('a log of which a part is shown', () => {
  test('has the chain of the whole, and the report says how many entries were hidden', async () => {
    const log = playLog(250);
    const heads = [...Array(250).keys()].map((at) => log.headAt(at + 1));
    const shown: unknown[] = [];
    const onEntry = (entry: AuditEntry): void => void shown.push(entry);
    const report = await verifyPart(part(log, twoOfThree), { heads, allowHidden, onEntry });
    expect(report).toMatchObject({ findings: [], entries: 250, hidden: 167, last: log.headAt(250) });
    expect(new Set(report.compared)).toEqual(new Set(['same']));
    expect(shown).toEqual(log.entries.filter(({ id }) => !twoOfThree(id)));
  });

  test('ends with what an asynchronous `onEntry` throws', async () => {
    const stop = new Error('the receiver is down');
    const onEntry = async () => Promise.reject(stop);
    await expect(verifyPart(playLog(9).entries, { onEntry })).rejects.toBe(stop);
  });

  test('is refused unless it is expected', async () => {
    const hidden = part(playLog(9), (id) => id === 4);
    await expect(verifyLines(hidden, {})).rejects.toThrow('entry 4 is hidden: pass `allowHidden`');
  });

  test.each<[string, (entries: (AuditEntry | HiddenEntry)[]) => unknown, string[]]>([
    ['hidden entries are left out', (all) => all.splice(3, 2), ['entry_missing 4']],
    [
      'a hidden entry is there twice',
      (all) => all.splice(4, 0, all[3] as HiddenEntry),
      ['entry_unexpected 4'],
    ],
    ['two digests are exchanged', (all) => exchange(all, 3, 4), ['entry_changed 6']],
    [
      'a hidden entry is moved',
      (all) => all.splice(6, 0, ...all.splice(3, 1)),
      ['entry_missing 4', 'entry_unexpected 4'],
    ],
    ['the first digests are changed', (all) => exchange(all, 0, 1), ['entry_changed 3']],
  ])('it is a finding if %s', async (_, change, findings) => {
    const entries = structuredClone(part(playLog(20), twoOfThree));
    change(entries);
    expect(found(await verifyPart(entries)).toSorted()).toEqual(expect.arrayContaining(findings));
  });

  test('does not have a known head if its last digest is changed', async () => {
    const log = playLog(20);
    const entries = part(log, twoOfThree).with(19, { id: 20, digest: 'ab'.repeat(32) });
    const heads = [log.headAt(19), log.headAt(20)];
    expect(await verifyPart(entries, { heads, allowHidden })).toMatchObject({ compared: ['same', 'other'] });
  });

  test.each<[string, unknown]>([
    ['another member', { id: 2, digest: 'ab'.repeat(32), actor: 'me' }],
    ['a digest in capitals', { id: 2, digest: 'AB'.repeat(32) }],
    ['a digest that is no text', { id: 2, digest: 7 }],
    ['no id', { digest: 'ab'.repeat(32) }],
  ])('a hidden entry with %s is none', async (_, entry) => {
    await expect(verifyLines(playLog(3).entries.with(1, entry as AuditEntry))).rejects.toThrow(InputError);
  });

  test('what a hidden entry said is not known, so nothing is said to contradict it', async () => {
    const log = playLog();
    const key_id = '00000000-0000-4000-8000-000000000009';
    for (const action of ['key.disable', 'key.enable', 'key.wrap', 'key.disable', 'key.wrap'] as const) {
      log.append(1, action, { key_id });
    }
    const verified = async (hides: (id: number) => boolean) => found(await verifyLines(part(log, hides)));
    expect(await verified(() => false)).toEqual(['contradiction 5']);
    expect(await verified((id) => id === 2)).toEqual(['contradiction 5']);
    expect(await verified((id) => id === 4)).toEqual([]);
  });

  test('that begins with hidden entries is checked from the first one on', async () => {
    const log = playLog(9);
    const begin = (id: number): boolean => id < 5;
    expect(await verifyPart(part(log, begin))).toMatchObject({ findings: [], hidden: 4 });
    const foreign = [genesisOf('another'), ...part(log, begin)];
    expect(found(await verifyLines(foreign))).toEqual(['entry_changed 5', 'entry_changed 1']);
    const changed = part(log, begin).with(1, { id: 2, digest: 'ab'.repeat(32) });
    expect(found(await verifyPart(changed))).toEqual(['entry_changed 5']);
    for (const first of [1, 3]) {
      await expect(verifyLines(part(log, begin).slice(first - 1))).rejects.toThrow(
        `the first entry, ${first}, is hidden, and nothing says what was before it`,
      );
    }
    const nothing = verifyPart(part(log, () => true));
    await expect(nothing).rejects.toThrow('no entry is shown, so nothing says whose log it is');
  });
});

function exchange(all: (AuditEntry | HiddenEntry)[], one: number, other: number): void {
  const [first, second] = [all[one], all[other]] as HiddenEntry[];
  if (first && second) all.splice(one, 2, { ...second, id: first.id }, { ...first, id: second.id });
}
