// The keys of a local service from secrets that an app has already, such as its ENCRYPTION_KEY. The same secrets give the same keys
// in every process, and nothing is stored. docs/key-file.md specifies it.
import { InputError, pae, parseUuid, toUtf8 } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/internal-base64';
import {
  attempt,
  fromHex,
  otherKindOf,
  saltLength,
  saltParts,
  using,
  uuidFromBytes,
} from '@eaas/protocol/internal';
import { exportSecret, hkdf, hmac, sealSecret } from '@eaas/service';
import { type KeyFile, newDefaultKey } from './key-file-format.ts';
import { keyIdOfEnvironment, unlocked } from './opener.ts';
import { rotated } from './sealed.ts';

/**
 * Makes the keys of secrets, the oldest first. Versions after `current` only decrypt. Throws InputError, which has no part of a
 * secret.
 */
export function keysOfSecrets(given: unknown, current?: number): KeyFile {
  const secrets = secretsIn(given);
  if (current !== undefined && current > secrets.length) {
    throw new InputError(`\`current\` must be at most ${secrets.length}, the last secret (got ${current})`);
  }
  const file = derivedKeys(secrets, current);
  const keyId = file.keys[0]?.key_id;
  const expected = keyIdOfEnvironment();
  if (expected === undefined || parseUuid(expected) === keyId) return file;
  throw new InputError(
    `EAAS_KEY_ID must be ${keyId}, which the first secret makes (got another id): is the first secret missing, or its place changed?`,
  );
}

/** Derives the keys. All but the versions comes from the first secret, so it never retires. */
export function derivedKeys(secrets: readonly string[], current = secrets.length): KeyFile {
  const part = (name: string, given = secrets[0] ?? ''): Uint8Array =>
    exportSecret(hkdf(toUtf8(given), pae('eaas local secret v1', name)));
  const tenantId = uuidFrom(part('tenant id'));
  const secret = part('tenant secret');
  const seal: KeyFile['seal'] = (sealing, place) =>
    using(place.version === 0 ? part('hash key') : part('key', secrets[place.version - 1]), (material) => {
      // Not random, so that the same secrets always give the same text. Other material has another salt.
      const salt = using(pae(...saltParts(material)), (parts) => hmac(secret, parts));
      return sealSecret(sealing, place, material, salt.subarray(0, saltLength));
    });
  const made = { tenantId, lock: unlocked.newLock(), sealedSecret: toBase64(secret), secret, seal };
  let file: KeyFile = { ...made, keys: [], subjects: [] };
  file = { ...file, keys: [newDefaultKey(file, 0, uuidFrom(part('key id')))] };
  for (let version = 2; version <= secrets.length; version++) {
    file = rotated(file, 0, version > current ? Infinity : 0);
  }
  return file;
}

/** Makes a UUID of version 8. */
const uuidFrom = (derived: Uint8Array): string =>
  uuidFromBytes(derived.subarray(0, 16)).replace(
    /(?<=^.{14}).(.{4})(.)/,
    (_, between: string, digit: string) => `8${between}${'89ab'[Number.parseInt(digit, 16) % 4]}`,
  );

/** Checks secrets. Throws InputError. */
export function secretsIn(given: unknown): string[] {
  const isList = Array.isArray(given) && given.length > 0;
  const secrets = Array.from<unknown>(isList ? given : [given]);
  return secrets.map((secret, at) => {
    const got = secrets.indexOf(secret) < at ? 'the same as an earlier one' : faultIn(secret);
    if (typeof secret === 'string' && got === undefined) return secret;
    throw new InputError(
      `secret ${at + 1} of \`createLocalService\` must be at least 32 hexadecimal digits of one case, or characters of base64 ` +
        `with letters of both cases, without quotes or white space (got ${got}): make it by \`openssl rand -hex 32\`, because ` +
        'what a person thought of can be guessed',
    );
  });
}

const hex = /^(?:[\da-f]{32,}|[\dA-F]{32,})$/;
const base64 = /^(?=.*[a-z])(?=.*[A-Z])(?=.{32})(?:[A-Za-z\d+/]+|[\w-]+)={0,2}$/;

/** Says what is wrong with a secret. HKDF is fast, so whoever has a ciphertext can try placeholders and short texts. */
function faultIn(secret: unknown): string | undefined {
  if (secret === undefined) return 'undefined: is its variable set?';
  if (typeof secret !== 'string' || !(hex.test(secret) || base64.test(secret))) return otherKindOf(secret);
  const standard = secret.replaceAll('-', '+').replaceAll('_', '/');
  const decoded = hex.test(secret) ? String.fromCharCode(...fromHex(secret)) : attempt(() => atob(standard));
  if (![secret, decoded ?? secret].some(isTyped)) return undefined;
  return 'a word such as `change`, a run, a repetition, or fewer than 8 different characters';
}

const words = /secret|change|password|example|replace|default|encrypt|random/i;
const rows = ['0123456789', 'abcdef', 'abcdefghijklmnopqrstuvwxyz'].map((row) => row.repeat(3));
const runs = rows.flatMap((row) => [row, Array.from(row).toReversed().join('')]).join(' ');

/** Whether a person seems to have typed a text. Runs are also found between other characters, as in `a1b2c3`. */
function isTyped(text: string): boolean {
  const pieces = piecesOf(text);
  const halves = [0, 1].map((from) =>
    Array.from(text)
      .filter((_, at) => at % 2 === from)
      .join(''),
  );
  const isRun = [...pieces, ...halves.flatMap(piecesOf)].some((piece) => runs.includes(piece.toLowerCase()));
  return words.test(text) || isRun || new Set(text).size < 8 || new Set(pieces).size < pieces.length;
}

const piecesOf = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - 9) }, (_, at) => text.slice(at, at + 10));
