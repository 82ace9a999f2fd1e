// The public log: the prefix tree of a moment, the Merkle tree of RFC 6962, and the proof of a head. Written as the
// specifications read, on whole sets and lists.
import { sign, verify } from 'node:crypto';
import { canonicalJson } from './audit.mjs';
import { decodeBase64 } from './base64.mjs';
import { base64, concat, fromHex, hex, pae, sha256, utf8 } from './bytes.mjs';
import { ed25519PrivateKey, ed25519PublicKey, publicKeyOf } from './checkpoint.mjs';

const zeros = Buffer.alloc(32);

// The prefix tree. A member is a head with its position as a text of 256 digits.

export const position = (tenantId) => sha256(pae('eaas log tenant v1', tenantId));

export const leaf = ({ tenant_id, id, hash }) =>
  sha256(concat(Buffer.of(0), position(tenant_id), sha256(pae('eaas log head v1', tenant_id, id, hash))));

const digits = (bytes) => [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');

export const members = (heads) =>
  heads.map((head) => ({ ...head, digits: digits(position(head.tenant_id)) }));

const half = (set, depth, digit) => set.filter((member) => member.digits.charAt(depth) === digit);

export function prefixRoot(set, depth = 0) {
  if (set.length === 0) return zeros;
  if (set.length === 1) return leaf(set[0]);
  const [left, right] = ['0', '1'].map((digit) => prefixRoot(half(set, depth, digit), depth + 1));
  return sha256(concat(Buffer.of(1), left, right));
}

/** From the leaf up. */
export function prefixPath(set, member, depth = 0) {
  if (set.length === 1) return [];
  const digit = member.digits.charAt(depth);
  const sibling = prefixRoot(half(set, depth, digit === '0' ? '1' : '0'), depth + 1);
  return [...prefixPath(half(set, depth, digit), member, depth + 1), sibling];
}

export function rootOfPath(tenantId, leafHash, path) {
  const way = digits(position(tenantId)).slice(0, path.length);
  return path.reduce((node, sibling, i) => {
    const pair = way.charAt(path.length - 1 - i) === '0' ? [node, sibling] : [sibling, node];
    return sha256(concat(Buffer.of(1), ...pair));
  }, leafHash);
}

export const momentEntry = (time, root) => utf8(`eaas.moment.v1\n${time}\n${base64(root)}\n`);

// RFC 6962, section 2.1. `d` is the list of leaf hashes, because the tiles have no entries.

export const leafHash = (entry) => sha256(concat(Buffer.of(0), entry));
const nodeHash = (left, right) => sha256(concat(Buffer.of(1), left, right));

function splitOf(n) {
  let k = 1;
  while (k << 1 < n) k <<= 1;
  return k;
}

export function mth(d) {
  if (d.length === 0) return sha256(Buffer.alloc(0));
  if (d.length === 1) return d[0];
  const k = splitOf(d.length);
  return nodeHash(mth(d.slice(0, k)), mth(d.slice(k)));
}

export function inclusion(m, d) {
  if (d.length === 1) return [];
  const k = splitOf(d.length);
  return m < k
    ? [...inclusion(m, d.slice(0, k)), mth(d.slice(k))]
    : [...inclusion(m - k, d.slice(k)), mth(d.slice(0, k))];
}

export const consistency = (m, d) => (m === 0 ? [] : subproof(m, d, true));

function subproof(m, d, isWhole) {
  if (m === d.length) return isWhole ? [] : [mth(d)];
  const k = splitOf(d.length);
  return m <= k
    ? [...subproof(m, d.slice(0, k), isWhole), mth(d.slice(k))]
    : [...subproof(m - k, d.slice(k), false), mth(d.slice(0, k))];
}

/** RFC 9162, section 2.1.3.2. */
export function checkInclusion(hash, index, size, path, root) {
  if (index >= size) return false;
  let [fn, sn, r] = [BigInt(index), BigInt(size - 1), hash];
  for (const p of path) {
    if (sn === 0n) return false;
    if (fn & 1n || fn === sn) {
      r = nodeHash(p, r);
      while (!(fn & 1n) && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else r = nodeHash(r, p);
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  return sn === 0n && r.equals(root);
}

/** The n-th tile at the level, as tlog-tiles defines it, of a log with the leaf hashes `d`. */
export function tile(level, n, d) {
  const span = 256 ** level;
  const hashes = [];
  for (let i = 0; i < 256 && (n * 256 + i + 1) * span <= d.length; i++)
    hashes.push(mth(d.slice((n * 256 + i) * span, (n * 256 + i + 1) * span)));
  return concat(...hashes);
}

export function tilePath(level, n, width) {
  const parts = [];
  for (let rest = n; parts.length === 0 || rest > 0; rest = Math.floor(rest / 1000))
    parts.unshift(`${parts.length > 0 ? 'x' : ''}${String(rest % 1000).padStart(3, '0')}`);
  return `tile/${level}/${parts.join('/')}${width === 256 ? '' : `.p/${width}`}`;
}

// Notes

export function vkey(name, type, publicKey) {
  const key = concat(Buffer.of(type), publicKey);
  return `${name}+${hex(sha256(concat(utf8(`${name}\n`), key)).subarray(0, 4))}+${base64(key)}`;
}

export const treeHead = (origin, size, root) => `${origin}\n${size}\n${base64(root)}\n`;

function u64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

export function cosignedMessage(type, name, time, head) {
  if (type === 4) return utf8(`cosignature/v1\ntime ${time}\n${head}`);
  const [origin, size, root] = head.split('\n');
  const sized = (text) => concat(Buffer.of(utf8(text).length), utf8(text));
  const tree = concat(u64(0), u64(size), decodeBase64(root));
  return concat(utf8('subtree/v1\n\0'), sized(name), u64(time), sized(origin), tree);
}

export function lineOf(key, signature) {
  const [name, id] = key.split('+');
  return `\u2014 ${name} ${base64(concat(fromHex(id), signature))}\n`;
}

/** A line by an Ed25519 key: of a witness if there is a time, otherwise of a log. */
export function ed25519Line(name, seed, head, time) {
  const key = vkey(name, time === undefined ? 1 : 4, publicKeyOf(seed));
  const message = time === undefined ? utf8(head) : cosignedMessage(4, name, time, head);
  const signature = sign(null, message, ed25519PrivateKey(seed));
  return lineOf(key, time === undefined ? signature : concat(u64(time), signature));
}

// Proofs

export function proofText({ extra, index, path, note }) {
  const lines = [
    'c2sp.org/tlog-proof@v1',
    `extra ${base64(utf8(extra))}`,
    `index ${index}`,
    ...path.map(base64),
  ];
  return `${lines.join('\n')}\n\n${note}`;
}

export function extraText({ tenant_id, id, hash }, time, path) {
  return canonicalJson({ hash: hex(hash), id, path: path.map(base64), tenant_id, time });
}

/** Reads policies with logs, witnesses of type 4 and one group. */
export function readPolicy(text) {
  const policy = { logs: [], witnesses: {}, groups: {} };
  for (const line of text.trimEnd().split('\n')) {
    const [verb, name, ...rest] = line.split(' ');
    if (verb === 'log') policy.logs.push(name);
    else if (verb === 'witness') policy.witnesses[name] = rest[0];
    else if (verb === 'group') policy.groups[name] = { k: Number(rest[0]), names: rest.slice(1) };
    else if (verb === 'quorum') policy.quorum = name;
    else throw new Error(`not a line of a policy: ${line}`);
  }
  return policy;
}

function requireThat(holds, reason) {
  if (!holds) throw new Error(reason);
}

const wholeNumber = /^(0|[1-9]\d*)$/;

export function verifyProof(text, policy) {
  const gap = text.indexOf('\n\n');
  requireThat(gap > 0, 'proof_format');
  const [header, extraLine, indexLine, ...hashes] = text.slice(0, gap).split('\n');
  requireThat(header === 'c2sp.org/tlog-proof@v1' && extraLine?.startsWith('extra '), 'proof_format');
  requireThat(indexLine?.startsWith('index ') && wholeNumber.test(indexLine.slice(6)), 'proof_format');
  const [extra, path] = inForm(() => [decodeBase64(extraLine.slice(6)).toString(), hashes.map(decodeBase64)]);
  const { tenant_id, id, hash, time, path: above } = inForm(() => JSON.parse(extra));
  requireThat(Number.isSafeInteger(id) && Number.isSafeInteger(time), 'proof_format');
  const head = inForm(() => ({ tenant_id, id, hash: fromHex(hash) }));
  const siblings = inForm(() => above.map(decodeBase64));
  requireThat(extraText(head, time, siblings) === extra && above.length <= 256, 'proof_format');
  requireThat(
    [head.hash, ...path, ...siblings].every(({ length }) => length === 32),
    'proof_format',
  );

  const { origin, size, root, logSigned, times } = openNote(text.slice(gap + 2), policy);
  const entry = momentEntry(time, rootOfPath(tenant_id, leaf(head), siblings));
  requireThat(
    checkInclusion(leafHash(entry), Number(indexLine.slice(6)), size, path, root),
    'proof_inclusion',
  );
  requireThat(logSigned, 'proof_log');
  const before = [...times.values()]
    .sort((a, b) => a - b)
    .find((t) => isEnough(policy, policy.quorum, t, times));
  requireThat(before !== undefined, 'proof_quorum');
  return { tenant_id, id, hash, before, claimed_time: time, origin };
}

function inForm(read) {
  try {
    return read();
  } catch {
    throw new Error('proof_format');
  }
}

function isEnough(policy, name, limit, times) {
  const group = policy.groups[name];
  if (!group) return times.has(name) && times.get(name) > 0 && times.get(name) <= limit;
  return group.names.filter((member) => isEnough(policy, member, limit, times)).length >= group.k;
}

function openNote(note, policy) {
  const split = note.lastIndexOf('\n\n');
  requireThat(split > 0 && note.endsWith('\n'), 'proof_format');
  const text = note.slice(0, split + 1);
  const [origin, size, rootText, end, ...more] = text.split('\n');
  requireThat(wholeNumber.test(size) && end === '' && more.length === 0, 'proof_format');
  const root = inForm(() => decodeBase64(rootText));
  requireThat(root.length === 32, 'proof_format');
  const [times, seen] = [new Map(), new Set()];
  let logSigned = false;
  for (const line of note.slice(split + 2, -1).split('\n')) {
    const [dash, name, encoded, ...rest] = line.split(' ');
    requireThat(dash === '\u2014' && encoded && rest.length === 0, 'proof_format');
    const bytes = inForm(() => decodeBase64(encoded));
    const isBy = (key) => key.startsWith(`${name}+${hex(bytes.subarray(0, 4))}+`);
    const witness = Object.keys(policy.witnesses).find((each) => isBy(policy.witnesses[each]));
    const key = policy.witnesses[witness] ?? policy.logs.find(isBy);
    if (!key) continue;
    const isWitness = witness !== undefined;
    const time = isWitness ? Number(bytes.subarray(4, 12).readBigUInt64BE()) : 0;
    const message = isWitness ? cosignedMessage(4, name, time, text) : utf8(text);
    const publicKey = ed25519PublicKey(Buffer.from(key.split('+').slice(2).join('+'), 'base64').subarray(1));
    requireThat(verify(null, message, publicKey, bytes.subarray(isWitness ? 12 : 4)), 'proof_signature');
    requireThat(!seen.has(key), 'proof_signature');
    seen.add(key);
    if (isWitness) times.set(witness, time);
    else logSigned ||= name === origin;
  }
  return { origin, size: Number(size), root, logSigned, times };
}
