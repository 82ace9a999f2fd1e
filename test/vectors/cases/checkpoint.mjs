import assert from 'node:assert/strict';
import { base64, draw, fromHex, hex } from '../reference/bytes.mjs';
import { chainStart } from '../reference/audit.mjs';
import {
  keyIdOf,
  keyName,
  noteText,
  openNote,
  publicKeyOf,
  signatureLine,
  signNote,
  verifierKey,
} from '../reference/checkpoint.mjs';
import { otherTenant, requireUniqueNames, T } from './places.mjs';

const groupOrder = (1n << 252n) + 27742317777372353535851937790883648493n;

function checkpoint(name, tenant, seed, id, hash) {
  const text = noteText(tenant, id, hash);
  const public_key = publicKeyOf(seed);
  const verifier_key = verifierKey(keyName(tenant), public_key);
  return {
    name,
    seed,
    tenant_id: tenant,
    id,
    hash,
    public_key,
    key_name: keyName(tenant),
    verifier_key,
    text,
    note: signNote(text, keyName(tenant), seed),
  };
}

const signatureOf = (note) => Buffer.from(/ (\S+)\n$/.exec(note)[1], 'base64').subarray(4);

const backwards = (bytes) => Buffer.from(bytes.toReversed());

/**
 * Adds the order of the group to S of a signature. The altered signature fulfils the equation of Ed25519, but RFC 8032
 * requires that verifiers refuse S above the order.
 */
function addGroupOrder(signature) {
  const s = BigInt(`0x${hex(backwards(signature.subarray(32)))}`) + groupOrder;
  return Buffer.concat([signature.subarray(0, 32), backwards(fromHex(s.toString(16).padStart(64, '0')))]);
}

function wrongSignatures({ tenant_id, text, note, public_key, key_name, hash, id }, otherSeed) {
  const keyId = keyIdOf(key_name, public_key);
  const signature = signatureOf(note);
  const withSignature = (bytes, name = key_name, asKey = keyId) =>
    `${text}\n${signatureLine(name, asKey, bytes)}`;
  const altered = (index, mask) =>
    Buffer.from(signature.map((byte, i) => (i === index ? byte ^ mask : byte)));
  return {
    'altered signature, first bit': withSignature(altered(0, 0x80)),
    'altered signature, last bit of R': withSignature(altered(31, 0x80)),
    'altered signature, first bit of S': withSignature(altered(32, 0x01)),
    'S plus the order of the group': withSignature(addGroupOrder(signature)),
    'signature of zeros': withSignature(Buffer.alloc(64)),
    'signature cut by a byte': withSignature(signature.subarray(0, 63)),
    'signature of the text without its last newline': withSignature(
      signatureOf(signNote(text.slice(0, -1), key_name, draw('checkpoint seed', 32))),
    ),
    'signed by another key under the same name': signNote(text, key_name, otherSeed),
    'signed by another key that claims this key ID': withSignature(
      signatureOf(signNote(text, key_name, otherSeed)),
    ),
    'right signature under another key ID': withSignature(
      signature,
      key_name,
      Buffer.from([keyId[0] ^ 1, ...keyId.subarray(1)]),
    ),
    'right signature under another name': withSignature(signature, keyName(otherTenant)),
    'another id': note.replace(`\n${id}\n`, `\n${id + 1}\n`),
    'another hash': note.replace(base64(hash), base64(draw('another hash', 32))),
    'another tenant in the text': note.replace(`v1/${tenant_id}`, `v1/${otherTenant}`),
    'another origin': note.replace('eaas.audit-chain.v1/', 'eaas.audit-chain.v2/'),
  };
}

function wrongForms({ text, note, key_name, tenant_id, hash }, seed) {
  const signed = (changed) => signNote(changed, key_name, seed);
  return {
    'no signature line': text,
    'no signature line behind the blank one': `${text}\n`,
    'no blank line': note.replace('\n\n', '\n'),
    'no newline at the end': note.slice(0, -1),
    'a hyphen in place of the em dash': note.replace('\u2014', '-'),
    'lines end in CR LF': note.replaceAll('\n', '\r\n'),
    'something behind the signature': `${note}x`,
    'a space behind the signature': note.replace(/\n$/, ' \n'),
    'signature in the url alphabet': note.replace(/\S+\n$/, (line) =>
      line.replaceAll('+', '-').replaceAll('/', '_'),
    ),
    nothing: '',
    'rightly signed: another tenant in the text': signed(noteText(otherTenant, 42, hash)),
    'rightly signed: id with a leading zero': signed(noteText(tenant_id, '042', hash)),
    'rightly signed: negative id': signed(noteText(tenant_id, -1, hash)),
    'rightly signed: id that is no number': signed(noteText(tenant_id, 'x', hash)),
    'rightly signed: hash of 31 bytes': signed(noteText(tenant_id, 42, hash.subarray(1))),
    'rightly signed: hash in hex': signed(text.replace(base64(hash), hex(hash))),
    'rightly signed: a line more': signed(`${text}more\n`),
    'rightly signed: a line less': signed(`${text.split('\n').slice(0, 2).join('\n')}\n`),
  };
}

function witnessed(original, witnessSeed) {
  const line = (name) => signNote(original.text, name, witnessSeed).slice(original.text.length + 1);
  const own = original.note.slice(original.text.length + 1);
  const of = (name, ...lines) => ({ name, note: `${original.text}\n${lines.join('')}` });
  return [
    of('a signature of a witness behind', own, line('witness.example/log')),
    of('a signature of a witness before', line('witness.example/log'), own),
    of('an unknown key of the same name before', line(original.key_name), own),
  ];
}

const shown = ({ seed, hash, public_key, note, text, ...c }) => ({
  name: c.name,
  seed: base64(seed),
  tenant_id: c.tenant_id,
  id: c.id,
  hash: hex(hash),
  public_key: base64(public_key),
  key_name: c.key_name,
  verifier_key: c.verifier_key,
  text,
  note,
});

export function build() {
  const [seed, otherSeed] = [draw('checkpoint seed', 32), draw('another checkpoint seed', 32)];
  const cases = [
    checkpoint('an entry', T, seed, 42, draw('checkpoint hash', 32)),
    checkpoint('an empty chain', T, seed, 0, chainStart(T)),
    checkpoint('a large id', T, seed, Number.MAX_SAFE_INTEGER, draw('late hash', 32)),
    checkpoint('another tenant', otherTenant, otherSeed, 1, draw('other tenant hash', 32)),
  ];
  const [first] = cases;
  const pinned = { tenant_id: T, verifier_key: first.verifier_key };
  const stated = { ...pinned, id: first.id, hash: hex(first.hash) };
  const accept = ({ name, note }) => ({ name, ...stated, note });
  const refuse = ([name, note]) => ({ name, ...pinned, note });
  const accepted = witnessed(first, otherSeed).map(accept);
  const refusals = Object.entries({ ...wrongSignatures(first, otherSeed), ...wrongForms(first, seed) }).map(
    refuse,
  );
  for (const c of cases)
    assert.deepEqual(openNote(c.note, c.verifier_key, c.tenant_id), { id: c.id, hash: c.hash }, c.name);
  for (const c of accepted) assert.equal(openNote(c.note, c.verifier_key, c.tenant_id).id, c.id, c.name);
  for (const c of refusals) assert.throws(() => openNote(c.note, c.verifier_key, c.tenant_id), Error, c.name);
  requireUniqueNames(cases, accepted, refusals);
  return {
    description:
      'Checkpoints of the audit chain: C2SP signed notes (c2sp.org/signed-note) with an Ed25519 key.',
    format: [
      'cases: `note` is the checkpoint of `tenant_id` at entry `id` with `hash` (hex), signed by the Ed25519 key with the 32-byte `seed` (base64). `text` is what is signed; the note is the text, an empty line, and the signature line. `public_key` (base64), `key_name` and `verifier_key` are the values on the way.',
      'Key ID = the first 4 bytes of SHA-256(key name || 0x0A || 0x01 || public key); verifier_key = name + "+" + hex key ID + "+" + base64(0x01 || public key); the signature line holds base64(key ID || signature). Ed25519 is deterministic, so signing gives the same bytes.',
      'accepted: a reader who pinned `verifier_key` for `tenant_id` must read `id` and `hash` from `note`.',
      'refusals: that reader must refuse `note`.',
    ],
    cases: cases.map(shown),
    accepted,
    refusals,
  };
}
