import assert from 'node:assert/strict';
import { base64, draw, hex, sha256, utf8 } from '../reference/bytes.mjs';
import { publicKeyOf } from '../reference/checkpoint.mjs';
import {
  consistency,
  cosignedMessage,
  ed25519Line,
  extraText,
  inclusion,
  leafHash,
  members,
  momentEntry,
  mth,
  prefixPath,
  prefixRoot,
  proofText,
  readPolicy,
  treeHead,
  verifyProof,
  vkey,
} from '../reference/log.mjs';
import { headOf } from './log-tree.mjs';
import * as mlDsa from './ml-dsa-witness.mjs';
import { requireUniqueNames } from './places.mjs';

const origin = 'eaas.example/log';
const logSeed = draw('log seed', 32);
const seeds = Object.fromEntries(
  ['w1', 'w2', 'w3', 'unknown'].map((name) => [name, draw(`log ${name}`, 32)]),
);
const nameOf = (witness) => `witness.example/${witness}`;
const keyOf = (witness) => vkey(nameOf(witness), 4, publicKeyOf(seeds[witness]));

const policy = [
  `log ${vkey(origin, 1, publicKeyOf(logSeed))}`,
  ...['w1', 'w2', 'w3'].map((witness) => `witness ${witness} ${keyOf(witness)}`),
  'group enough 2 w1 w2 w3',
  'quorum enough',
  '',
].join('\n');

// Five moments of eight tenants. In each, one head more has moved.
const start = 1_790_000_000_000;
const moments = [0, 1, 2, 3, 4].map((m) => {
  const heads = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => Object.assign(headOf(n), n < m && { id: n + 1 + m }));
  const set = members(heads);
  return { heads, set, root: prefixRoot(set), time: start + m * 60_000 };
});
const leaves = moments.map(({ time, root }) => leafHash(momentEntry(time, root)));
const size = leaves.length;
const head = treeHead(origin, size, mth(leaves));
const at = (w) => 1_790_000_100 + 10 * Number(w.slice(1));

const own = (text = head, seed = logSeed, name = origin) => ed25519Line(name, seed, text);
const cosigned = (witness, time = at(witness), text = head) =>
  ed25519Line(nameOf(witness), seeds[witness], text, time);
const note = (...lines) => `${head}\n${lines.join('')}`;

/** The proof of head n in moment m. What is given replaces a part of it. */
function proofOf({ n = 2, m = 4, index = m, path = inclusion(m, leaves), checkpoint, ...changed } = {}) {
  const { set, time } = moments[m];
  const parts = { head: set[n], time, path: prefixPath(set, set[n]), ...changed };
  const extra = changed.extra ?? extraText(parts.head, parts.time, parts.path);
  return proofText({ extra, index, path, note: checkpoint ?? note(own(), cosigned('w1'), cosigned('w2')) });
}

function accepted() {
  const standard = note(own(), cosigned('w1'), cosigned('w2'));
  return {
    'two of three witnesses': [proofOf(), at('w2')],
    'all witnesses, the latest first': [
      proofOf({ checkpoint: note(cosigned('w3'), own(), cosigned('w2'), cosigned('w1')) }),
      at('w2'),
    ],
    'a witness that nobody knows': [
      proofOf({ checkpoint: note(own(), cosigned('unknown', 1_000), cosigned('w1'), cosigned('w2')) }),
      at('w2'),
    ],
    'one witness without a time, and two with': [
      proofOf({ checkpoint: note(own(), cosigned('w1', 0), cosigned('w2'), cosigned('w3')) }),
      at('w3'),
    ],
    'a head in an earlier moment': [proofOf({ n: 7, m: 1, checkpoint: standard }), at('w2')],
  };
}

const flipLast = (line) => {
  const [dash, name, encoded] = line.trimEnd().split(' ');
  const bytes = Buffer.from(encoded, 'base64');
  bytes[bytes.length - 33] ^= 1;
  return `${dash} ${name} ${base64(bytes)}\n`;
};

function refused() {
  const { set, time } = moments[4];
  const path = prefixPath(set, set[2]);
  const extra = extraText(set[2], time, path);
  const other = treeHead(origin, size, mth([...leaves.slice(0, -1), leaves[0]]));
  const [moved, ...rest] = path;
  return {
    proof_inclusion: {
      'another tenant': proofOf({ head: { ...set[2], tenant_id: headOf(3).tenant_id } }),
      'another id': proofOf({ head: { ...set[2], id: set[2].id + 1 } }),
      'another hash': proofOf({ head: { ...set[2], hash: sha256(utf8('another')) } }),
      'another time': proofOf({ time: time - 60_000 }),
      'another moment': proofOf({ m: 3, index: 4, path: inclusion(4, leaves) }),
      'another index': proofOf({ index: 3 }),
      'an index behind the log': proofOf({ index: 5 }),
      'the path of another tenant': proofOf({ path: prefixPath(set, set[3]) }),
      'a path without its lowest hash': proofOf({
        path: inclusion(4, leaves),
        extra: extraText(set[2], time, rest),
      }),
      'a path with a hash more': proofOf({ extra: extraText(set[2], time, [moved, ...path]) }),
      'no inclusion path': proofOf({ path: [] }),
      'a consistency proof for an inclusion path': proofOf({ path: consistency(3, leaves) }),
    },
    proof_log: {
      'no signature of the log': proofOf({ checkpoint: note(cosigned('w1'), cosigned('w2')) }),
      'a key of the log that the policy does not have': proofOf({
        checkpoint: note(own(head, draw('another log seed', 32)), cosigned('w1'), cosigned('w2')),
      }),
      'another log': (() => {
        const text = head.replace(origin, 'other.example/log');
        const lines = [own(text), cosigned('w1', at('w1'), text), cosigned('w2', at('w2'), text)];
        return proofOf({ checkpoint: `${text}\n${lines.join('')}` });
      })(),
    },
    proof_signature: {
      'a cosignature over another checkpoint': proofOf({
        checkpoint: note(own(), cosigned('w1'), cosigned('w2', at('w2'), other)),
      }),
      'the signature of the log over another checkpoint': proofOf({
        checkpoint: note(own(other), cosigned('w1'), cosigned('w2')),
      }),
      'an altered cosignature beside two valid ones': proofOf({
        checkpoint: note(own(), cosigned('w1'), cosigned('w2'), flipLast(cosigned('w3'))),
      }),
      'a cosignature twice': proofOf({ checkpoint: note(own(), cosigned('w1'), cosigned('w1')) }),
      'a cosignature with another time': proofOf({
        checkpoint: note(
          own(),
          cosigned('w1'),
          ((line) => {
            const [dash, name, encoded] = line.trimEnd().split(' ');
            const bytes = Buffer.from(encoded, 'base64');
            bytes.writeBigUInt64BE(1n, 4);
            return `${dash} ${name} ${base64(bytes)}\n`;
          })(cosigned('w2')),
        ),
      }),
    },
    proof_quorum: {
      'one witness': proofOf({ checkpoint: note(own(), cosigned('w1')) }),
      'no witness': proofOf({ checkpoint: note(own()) }),
      'a witness and one that nobody knows': proofOf({
        checkpoint: note(own(), cosigned('w1'), cosigned('unknown', 1_000)),
      }),
      'two witnesses, one of them without a time': proofOf({
        checkpoint: note(own(), cosigned('w1'), cosigned('w2', 0)),
      }),
    },
    proof_format: {
      'no checkpoint': proofOf().split('\n\n')[0],
      'no extra': proofOf().replace(/extra .*\n/, ''),
      'names in another order': proofOf({
        extra: extra.replace(/(\{)("hash":"[^"]*"),("id":\d+)/, '$1$3,$2'),
      }),
      'a space in extra': proofOf({ extra: extra.replace(',', ', ') }),
      'a name more': proofOf({ extra: extra.replace('{', '{"a":1,') }),
      'the hash in upper case': proofOf({
        extra: extra.replace(hex(set[2].hash), hex(set[2].hash).toUpperCase()),
      }),
      'an id as text': proofOf({ extra: extra.replace(/"id":(\d+)/, '"id":"$1"') }),
      'a path that is not base64': proofOf({ extra: extra.replace(/"path":\["./, '"path":["*') }),
      'an index with a leading zero': proofOf().replace('index 4', 'index 04'),
      'a header of another version': proofOf().replace('proof@v1', 'proof@v2'),
      'an extension line': proofOf({ checkpoint: `${head}more\n\n${own(`${head}more\n`)}` }),
      'a size with a leading zero': proofOf({ checkpoint: note(own()).replace('\n5\n', '\n05\n') }),
      'no newline at the end': proofOf().slice(0, -1),
      'lines that end with CR LF': proofOf().replaceAll('\n', '\r\n'),
      'more behind it': `${proofOf()}more\n`,
    },
  };
}

function cosignatures() {
  const publicKey = publicKeyOf(seeds.w1);
  const time = at('w1');
  const message = cosignedMessage(4, nameOf('w1'), time, head);
  const ed25519 = {
    name: 'Ed25519',
    verifier_key: vkey(nameOf('w1'), 4, publicKey),
    time,
    message: base64(message),
  };
  const { key, time: seconds, message: signed, line } = mlDsa;
  return [
    { ...ed25519, checkpoint: head, line: cosigned('w1') },
    {
      name: 'ML-DSA-44',
      verifier_key: key,
      time: seconds,
      message: base64(signed),
      checkpoint: mlDsa.head,
      line,
    },
  ];
}

// The examples of signed-note.
const example = {
  verifier_key: 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
  note: 'This is an example message.\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n',
};

export function build() {
  const known = readPolicy(policy);
  const cases = Object.entries(accepted()).map(([name, [proof, before]]) => {
    const found = verifyProof(proof, known);
    assert.equal(found.before, before, name);
    return Object.assign({ name, proof }, found);
  });
  const refusals = Object.entries(refused()).flatMap(([code, proofs]) =>
    Object.entries(proofs).map(([name, proof]) => {
      assert.throws(() => verifyProof(proof, known), new Error(code), name);
      return { name, code, proof };
    }),
  );
  const lines = cosignatures();
  requireUniqueNames(cases, refusals, lines);
  return {
    description:
      'Proofs of the public log (c2sp.org/tlog-proof) that a head existed, and what witnesses sign.',
    format: [
      'policy: the trust policy (c2sp.org/tlog-policy) for all proofs.',
      'cases: `proof` shows that the newest entry of `tenant_id` had `id` and `hash` (hex) in a moment of the log `origin`. `before` is the smallest time (seconds) at which cosignatures with 0 < time <= `before` meet the quorum; `claimed_time` (ms) is what the log says.',
      'refusals: `code` is the reason. A proof is checked in this order: format, the signatures of known keys, inclusion, the signature of the log, the quorum.',
      'cosignatures: `line` is the signature of `verifier_key` at `time` on the text `checkpoint`, and `message` (base64) what it signs. The line of ML-DSA-44 is by filippo.io/mldsa.',
      'example: the note and the verifier key that c2sp.org/signed-note shows.',
    ],
    policy,
    cases,
    refusals,
    cosignatures: lines,
    example,
  };
}
