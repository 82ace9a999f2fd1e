import type { RequestListener } from 'node:http';
import { beforeEach, expect, test } from 'vitest';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { verifyCheckpoint } from '@eaas/protocol/internal-log';
import { startWitness, type Witness } from '@eaas/test-kit/witness';
import { LogInMemory, origin } from '../test/log-in-memory.ts';
import { verifyEd25519 } from '@eaas/server/internal';
import { askWitnesses, faultOfWitnessUrl } from './witnesses.ts';

const text = (status: number, body: string, headers = {}): RequestListener => {
  return (_, response) => void response.writeHead(status, headers).end(body);
};

let ann: Witness;
let ben: Witness;
beforeEach(async () => {
  [ann, ben] = await Promise.all([startWitness('ann'), startWitness('ben')]);
});

test('a witness gets our signature only, and none of the cosignatures', async () => {
  const log = new LogInMemory();
  const first = log.replica([ann]);
  await (await log.grow()).newest();
  await first.ask();
  await log.replica([ann, ben]).ask();
  expect(ben.asked).toEqual([
    expect.stringMatching(/^old 0\n\neaas\.example\/log\n1\n\S+\n\n— eaas\.example\/log \S+\n$/),
  ]);
});

test('a witness that was away is asked again without a new moment, and nobody else', async () => {
  const log = await new LogInMemory().grow(3);
  const replica = log.replica([ann, ben]);
  ben.instead = (_, response) => void response.writeHead(503).end();
  await replica.ask();
  await replica.ask();
  expect(replica.warnings).toEqual([{ witness: 'ben', reason: 'it responded with the status 503' }]);
  expect(replica.context.memory.failures).toEqual(new Map([['ben', 2]]));
  expect(await log.signers(replica)).toEqual(['ann']);
  ben.instead = undefined;
  await replica.ask();
  expect(await log.signers(replica)).toEqual(['ann', 'ben']);
  expect([ann.asked.length, ben.asked.length]).toEqual([1, 1]);
});

test('a replica that knows nothing of a witness learns its size from the status 409', async () => {
  const log = await new LogInMemory().grow(3);
  await log.replica([ann]).ask();
  await log.grow(2);
  const other = log.replica([ann]);
  await other.ask();
  expect(ann.asked.slice(1).map((body) => body.split('\n')[0])).toEqual(['old 0', 'old 3']);
  expect(await log.signers(other)).toEqual(['ann']);
  expect(other.warnings).toEqual([]);
});

test('before a moment, a replica learns of one that another replica made and the database lost', async () => {
  const log = await new LogInMemory().grow(3);
  const one = log.replica([ann]);
  await one.ask();
  const restored = log.copy();
  await log.grow();
  await log.replica([ann]).ask();
  const late = restored.replica([ann]);
  const context = { ...late.context, memory: one.context.memory };
  await askWitnesses(context);
  expect(restored.halted).toEqual([]);
  await askWitnesses(context, 'all');
  expect(restored.halted).toEqual([expect.stringContaining('shows a checkpoint of 4 entries')]);
});

test('a replica that is late does not blame the witness, nor the log', async () => {
  const log = await new LogInMemory().grow(3);
  const [one, late] = [log.replica([ann]), log.replica([ann])];
  const old = await log.newest();
  await log.grow(2);
  await one.ask();
  const newest = async (options?: { locked?: boolean }) => (options?.locked ? log.newest() : old);
  await askWitnesses({ ...late.context, newest });
  expect([late.warnings, log.halted]).toEqual([[], []]);
});

test('a moment of another replica, made while the witness is asked, is no contradiction', async () => {
  const log = await new LogInMemory().grow(3);
  const [one, late] = [log.replica([ann]), log.replica([ann])];
  const old = await log.newest();
  let reads = 0;
  const newest = async () => (++reads < 3 ? old : log.newest());
  await log.grow(2);
  await one.ask();
  await askWitnesses({ ...late.context, newest });
  expect(reads).toBe(3);
  expect(log.halted).toEqual([]);
});

const line = (note: string, seconds?: number) => ben.cosign(note, seconds);

test('of two lines with the name of a witness, that of its own key counts', async () => {
  const log = await new LogInMemory().grow(3);
  const { note } = await log.newest();
  ben.instead = text(200, (await startWitness('ben')).cosign(note) + line(note));
  const replica = log.replica([ben]);
  await replica.ask();
  expect(await log.signers(replica)).toEqual(['ben']);
});

const showing = (note: string, status: number, body: string): RequestListener => {
  ben.shows = note;
  return text(status, body);
};
const uncosigned = 'it sent no valid cosignature of its key';
const claims =
  'it claims to have cosigned more entries than the log has, but shows no checkpoint with our signature';

/** What ben does with our note, what ann's cosignature must not suffer from, and what the log says about ben. */
const misdeeds: [
  what: string,
  (note: string) => RequestListener | Promise<RequestListener>,
  reason: string,
][] = [
  ['refuses', () => text(403, 'no'), 'it responded with the status 403'],
  ['sends 10 MB', () => text(200, 'x'.repeat(10_000_000)), 'it sent more than 65536 bytes'],
  [
    'ends the connection',
    () =>
      ({ socket }) =>
        void socket.destroy(),
    'it cannot be reached (ECONNRESET)',
  ],
  [
    'ends the connection in its response',
    () => (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('— ');
      setTimeout(() => response.destroy(), 50);
    },
    'it ended the connection',
  ],
  [
    'sends bytes that are no text',
    () => (_, response) => void response.end(Buffer.from('ff00fe', 'hex')),
    'it sent bytes that are no text',
  ],
  [
    'sends the line of a stranger',
    async (note) => text(200, (await startWitness('ben')).cosign(note)),
    uncosigned,
  ],
  ['cosigns another checkpoint', (note) => text(200, line(note.replace('\n3\n', '\n4\n'))), uncosigned],
  ['cosigns without a time', (note) => text(200, line(note, 0)), uncosigned],
  [
    'redirects',
    async () => text(307, '', { location: `${(await startWitness('ben')).url}/add-checkpoint` }),
    'it responded with the status 307',
  ],
  ['conflicts without a size', () => text(409, '3 or so'), 'it responded with the status 409 and no size'],
  ['conflicts again and again', () => text(409, '2\n'), 'it responded twice with the status 409'],
  ['claims a larger tree, and shows none', () => text(409, '4\n'), claims],
  [
    'refuses the tree, and shows none',
    () => text(422, ''),
    'it refuses our newest tree (status 422), but shows no checkpoint with our signature',
  ],
  [
    'shows a tree of another key',
    async () => {
      const other = await new LogInMemory().grow(4);
      return showing((await other.newest()).note, 409, '4\n');
    },
    claims,
  ],
  [
    'shows our checkpoint with a larger size',
    (note) => showing(note.replace('\n3\n', '\n4\n'), 409, '4\n'),
    claims,
  ],
  [
    'shows our own checkpoint',
    (note) => showing(note, 422, ''),
    'it refuses our newest tree (status 422), but the checkpoint that it shows belongs to our log',
  ],
];

test.each(misdeeds)('a witness that %s stops nothing', async (_, misdeed, reason) => {
  const log = await new LogInMemory().grow(3);
  ben.instead = await misdeed((await log.newest()).note);
  const replica = log.replica([ann, ben]);
  await replica.ask();
  expect(await log.signers(replica)).toEqual(['ann']);
  expect(replica.warnings).toEqual([{ witness: 'ben', reason }]);
  expect(replica.context.memory.failures).toEqual(new Map([['ben', 1]]));
  expect(log.halted).toEqual([]);
});

test('a witness that never responds, and one that never ends its response, stop nothing after 5 s', async () => {
  setTimeLimits(1);
  const log = await new LogInMemory().grow(3);
  const eve = await startWitness('eve');
  const [replica, stopping] = [log.replica([ann, ben, eve]), log.copy().replica([ben, eve])];
  ben.instead = () => {};
  eve.instead = (_, response) => {
    const timer = setInterval(() => response.write('— '), 50);
    response.on('close', () => clearInterval(timer));
    stopping.stop();
  };
  const ended: string[] = [];
  await Promise.all([
    replica.ask().then(() => ended.push('in time')),
    stopping.ask().then(() => ended.push('stopped')),
  ]);
  expect(await log.signers(replica)).toEqual(['ann']);
  const reason = 'it did not respond within 5 s';
  expect(replica.warnings).toHaveLength(2);
  for (const witness of ['ben', 'eve']) expect(replica.warnings).toContainEqual({ witness, reason });
  expect(ended).toEqual(['stopped', 'in time']);
  expect(stopping.warnings).toEqual([]);
});

test('a witness that sends a second cosignature of another witness does not spoil the note', async () => {
  const log = await new LogInMemory().grow(3);
  const replica = log.replica([ann, ben]);
  const { note } = await log.newest();
  ann.instead = text(200, ben.cosign(note, 1_700_000_000) + ann.cosign(note));
  await replica.ask();
  expect(await log.signers(replica)).toEqual(['ann', 'ben']);
  expect(replica.warnings).toEqual([]);
});

test('the log says once why a witness fails, and when the reason changes', async () => {
  const log = await new LogInMemory().grow(3);
  const replica = log.replica([ann]);
  for (const status of [500, 500, 404, 404, 500]) {
    ann.instead = text(status, '');
    await replica.ask();
  }
  expect(replica.warnings).toEqual(
    [500, 404, 500].map((status) => ({ witness: 'ann', reason: `it responded with the status ${status}` })),
  );
});

test('a database that lost entries halts the log, with our own signature as evidence', async () => {
  const log = await new LogInMemory().grow(3);
  const restored = log.copy();
  await log.grow(2);
  await log.replica([ann]).ask();
  await restored.grow();
  const replica = restored.replica([ann]);
  await replica.ask();
  expect(restored.halted).toHaveLength(1);
  const [reason = '', evidence = ''] = restored.halted[0]?.split(/\n\n([^]*)/) ?? [];
  expect(reason).toBe(
    'the witness "ann" shows a checkpoint of 5 entries with the signature of this log, which now has 4',
  );
  const shown = await verifyCheckpoint(evidence, [log.key], verifyEd25519);
  expect(shown).toMatchObject({ origin, size: 5, root: (await log.newest()).root });
  expect(shown.signatures).toHaveLength(1);
});

test('a log that begins anew under another name is another log to the witness, and to the server', async () => {
  const log = await new LogInMemory().grow(5);
  const replica = log.replica([ann]);
  await replica.ask();
  const next = await new LogInMemory('eaas.example/next').grow(2);
  const after = next.replica([ann]);
  await askWitnesses({ ...after.context, memory: replica.context.memory });
  expect(after.warnings).toEqual([]);
  expect(await next.signers(after)).toEqual(['ann']);
  expect([after.warnings, next.halted]).toEqual([[], []]);
});

test('two servers with one key and two histories: the one that the witness did not cosign halts', async () => {
  const log = await new LogInMemory().grow(3);
  const other = log.copy();
  await log.grow(2);
  await other.grow(3);
  await log.replica([ann]).ask();
  await other.replica([ann]).ask();
  expect(other.halted).toEqual([
    expect.stringContaining(
      'shows a checkpoint of 5 entries with the signature of this log, which now has other ones',
    ),
  ]);
  expect(ann.held.get(origin)?.size).toBe(5);
});

test('a monitor other than the witness can show the evidence', async () => {
  const log = await new LogInMemory().grow(3);
  const other = log.copy();
  await log.grow(2);
  await log.replica([ann, ben]).ask();
  ann.shows = '';
  await other.grow();
  await other.replica([ann]).ask();
  expect(other.halted).toEqual([]);
  await other.replica([ann], new Map([['ann', `${ben.url}/`]])).ask();
  expect(other.halted).toHaveLength(1);
});

test('a database that fails is no fault of the witness', async () => {
  const log = await new LogInMemory().grow(3);
  const replica = log.replica([ann, ben]);
  ben.instead = text(409, '2\n');
  const tiles = () => Promise.reject(new Error('the database is away'));
  await expect(askWitnesses({ ...replica.context, tiles })).rejects.toThrow('the database is away');
  expect(await log.signers(replica)).toEqual(['ann']);
  expect(replica.warnings).toEqual([]);
});

test.each([
  ['https://witness.example/log/', undefined],
  ['http://localhost:7380/', undefined],
  ['http://witness.example', 'must begin with https: http is only for a loopback address'],
  ['https://user@witness.example', 'must have no query, fragment or user name'],
  ['https://witness.example/?log', 'must have no query, fragment or user name'],
  ['witness.example', 'is not a URL'],
])('%s %s', (url, fault) => {
  expect(faultOfWitnessUrl(url)).toBe(fault);
});
