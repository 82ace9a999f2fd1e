import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { runs } from '@eaas/test-kit/cases';
import { vectors } from '@eaas/test-kit/vectors';
import { toBase64 } from '../base64.ts';
import { formatNoteKey, formatSignature, noteKey, parseNote } from '../signed-note.ts';
import { verifyEd25519 } from '../../test/verify-ed25519.ts';
import { toUtf8 } from '../text.ts';
import {
  cosignedMessage,
  type LogProofError,
  parseNoteKey,
  parseTreeHead,
  treeHeadText,
  verifyCheckpoint,
} from './tlog.ts';

const { cosignatures, example } = vectors('log-proof');

const codeOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: LogProofError) => error.code,
  );

test('the example of signed-note is read and verified', async () => {
  const key = parseNoteKey(example.verifier_key);
  const { text = '', signatures = [] } = parseNote(example.note) ?? {};
  expect(text).toBe('This is an example message.\n');
  expect(signatures).toMatchObject([{ name: key.name, keyId: key.keyId }]);
  const [signature] = signatures.map((each) => each.bytes);
  expect(await verifyEd25519(key.publicKey, signature as Uint8Array<ArrayBuffer>, toUtf8(text))).toBe(true);
  expect(`${text}\n${signatures.map(formatSignature).join('')}`).toBe(example.note);
  expect(formatNoteKey(key)).toBe(example.verifier_key);
  expect(noteKey(key.name, key.type, key.publicKey)).toEqual(key);
});

test.each(cosignatures)(
  'a cosignature by $name is verified, with its time',
  async ({ verifier_key, time, message, checkpoint, line }) => {
    const key = parseNoteKey(verifier_key);
    const head = parseTreeHead(checkpoint);
    expect(head && toBase64(cosignedMessage(key, time, head))).toBe(message);
    const found = await verifyCheckpoint(`${checkpoint}\n${line}`, [key], verifyEd25519);
    expect(found).toEqual({ ...head, text: checkpoint, signatures: [{ key, time, line }] });
  },
);

test.each(cosignatures)(
  'a cosignature by $name counts for no other checkpoint, time or name',
  async (vector) => {
    const { verifier_key, checkpoint, line } = vector;
    const key = parseNoteKey(verifier_key);
    const [origin, size, root] = checkpoint.split('\n');
    const others = [`x${checkpoint}`, `${origin}\n${Number(size) + 1}\n${root}\n`];
    for (const text of others) {
      expect(await codeOf(verifyCheckpoint(`${text}\n${line}`, [key], verifyEd25519))).toBe(
        'proof_signature',
      );
    }
    const unknown = noteKey('witness.example/other', key.type, key.publicKey);
    expect((await verifyCheckpoint(`${checkpoint}\n${line}`, [unknown], verifyEd25519)).signatures).toEqual(
      [],
    );
    expect(await codeOf(verifyCheckpoint(`${checkpoint}\n${line}${line}`, [key], verifyEd25519))).toBe(
      'proof_signature',
    );
  },
);

test('a key of a type that nobody here can verify signs nothing', async () => {
  const [{ checkpoint }] = cosignatures as [(typeof cosignatures)[number]];
  const key = noteKey('witness.example/ecdsa', 2, new Uint8Array(91));
  const line = formatSignature({ ...key, bytes: new Uint8Array(70) });
  expect((await verifyCheckpoint(`${checkpoint}\n${line}`, [key], verifyEd25519)).signatures).toEqual([]);
});

const publicKey = new Uint8Array(32).fill(7);
const known = formatNoteKey(noteKey('w.example', 4, publicKey));

test.each([
  ['', 'must be `<name>+<key id>+<base64>`'],
  [known.slice(0, -1), 'must be `<name>+<key id>+<base64>`'],
  [known.replace('+', '++'), 'must be `<name>+<key id>+<base64>`'],
  [known.replace('w', 'w '), 'must be `<name>+<key id>+<base64>`'],
  [known.replace('w', 'v'), 'the key id of v.example must be'],
  [formatNoteKey(noteKey('w.example', 4, publicKey.slice(1))), 'must have 32 bytes for type 4 (got 31)'],
  [formatNoteKey(noteKey('w.example', 6, publicKey)), 'must have 1312 bytes for type 6 (got 32)'],
  [formatNoteKey(noteKey('w'.repeat(256), 4, publicKey)), 'must be `<name>+<key id>+<base64>`'],
])('%j is no verifier key', (text, cause) => {
  expect(() => parseNoteKey(text)).toThrow(cause);
});

const line = formatSignature({ name: 'a', keyId: '01020304', bytes: new Uint8Array(64) });

test.each([
  ['nothing', ''],
  ['no signature', 'text\n\n'],
  ['no empty line', `text\n${line}`],
  ['no newline at the end', `text\n\n${line.slice(0, -1)}`],
  ['a control character', `te\txt\n\n${line}`],
  ['a lone surrogate', `te\ud800xt\n\n${line}`],
  ['a name with a plus', `text\n\n${line.replace(' a ', ' a+b ')}`],
  ['a name with a space of Unicode', `text\n\n${line.replace(' a ', ' a\u00a0b ')}`],
  ['a signature without padding', `text\n\n${line.replace('=', '')}`],
  ['a signature of four bytes', 'text\n\n\u2014 a AQIDBA==\n'],
  ['a line that is no signature', `text\n\n${line}more\n`],
  ['more than 100 signatures', `text\n\n${line.repeat(101)}`],
  ['more than a million characters', `${'x'.repeat(1_000_000)}\n\n${line}`],
])('a note with %s is refused', (_, note) => {
  expect(parseNote(note)).toBeUndefined();
});

test('a note has up to 100 signatures, and its text may have empty lines', () => {
  const note = parseNote(`one\n\n\ntwo\n\n${line.repeat(100)}`);
  expect(note?.text).toBe('one\n\n\ntwo\n');
  expect(note?.signatures).toHaveLength(100);
});

const root = toBase64(new Uint8Array(32).fill(1));

test.each([
  `\n1\n${root}\n`,
  `log\n01\n${root}\n`,
  `log\n9007199254740992\n${root}\n`,
  `log\n1\n${root.slice(4)}\n`,
  `log\n1\n${root}`,
  `log\n1\n${root}\nmore\n`,
  `${'x'.repeat(256)}\n1\n${root}\n`,
])('%j is no checkpoint', (text) => {
  expect(parseTreeHead(text)).toBeUndefined();
});

test('a checkpoint is what was written', () => {
  const origins = fc.stringMatching(/^[a-z0-9./]{1,40}$/);
  fc.assert(
    fc.property(
      origins,
      fc.maxSafeNat(),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      (origin, size, hash) => {
        expect(parseTreeHead(treeHeadText({ origin, size, root: hash }))).toEqual({
          origin,
          size,
          root: hash,
        });
      },
    ),
    { numRuns: runs(300) },
  );
});
