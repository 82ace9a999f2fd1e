// The keys of a local service as one text, for platforms that have variables and no disk. Nothing changes a text while it is in
// use: the command makes the next one (command.ts). The local service opens it.
import { InputError, toUtf8 } from '@eaas/protocol';
import { readBase64, toBase64 } from '@eaas/protocol/internal-base64';
import { otherKindOf } from '@eaas/protocol/internal';
import { type Keying, type KeyRow, type Link, type Plugin, Refusal } from '@eaas/service';
import {
  defaultKeyIn,
  type FileKey,
  formatKeyFile,
  type KeyFile,
  newDefaultKey,
  newKeyFile,
  newVersion,
  openKeyFile,
  readUnopened,
  sealedVersions,
  type Stored,
} from './key-file-format.ts';
import { isKept, keysInMemory, type KeyStore, noDefaultKey } from './key-store.ts';
import { keyOfService, sealedBytesOf, unlocked } from './opener.ts';
import type { MemoryStore } from './memory-store.ts';
import type { Open } from './opening.ts';

const prefix = 'eaas_local_';

/** Makes the keys of a new tenant: one, named `default`. */
export function newSealed(now: number, opener = unlocked): KeyFile {
  const file = newKeyFile(opener);
  return { ...file, keys: [newDefaultKey(file, now)] };
}

/** Makes a new key the one named `default`, which encrypts at once. The others stay, so that their values open. */
export function replaced(file: KeyFile, now: number): KeyFile {
  const others = file.keys.map((key): FileKey => ({ ...key, name: `replaced ${key.key_id}` }));
  return { ...file, keys: [newDefaultKey(file, now), ...others] };
}

/** Leaves out all keys but the one named `default`. */
export const forgotten = (file: KeyFile): KeyFile => ({
  ...file,
  keys: file.keys.filter(({ name }) => name === 'default'),
});

/** Adds a version to each key. It decrypts at once, and encrypts from a time on, when all deployments have the text. */
export function rotated(file: KeyFile, now: number, from: number): KeyFile {
  const rotatedKey = (key: FileKey): FileKey => {
    const next = { ...key, key_version: key.key_version + 1, rotated_at: now };
    return { ...next, versions: [...key.versions, { ...newVersion(file, next, now), from }] };
  };
  return { ...file, keys: file.keys.map(rotatedKey) };
}

/** Returns the text. */
export const formatSealed = (file: KeyFile): string =>
  prefix + toBase64(toUtf8(formatKeyFile(file, 0, sealedVersions).trimEnd()));

/** Opens a text. Throws InputError, which quotes nothing of it. */
export const openSealed = (given: string, opener = unlocked): KeyFile =>
  openKeyFile(named, jsonIn(given), opener, undefined, sealedVersions);

/** Reads a text without opening it. Throws InputError. */
export const readSealed = (given: string): Stored => readUnopened(named, jsonIn(given), sealedVersions);

/** A text that a key service must have locked. `opened` has it opened, which also vouches for the ids. Throws InputError. */
export function lockedStore(given: string, open: Open, memory: MemoryStore, now: () => number) {
  const text = readSealed(given);
  const { tenant_id: tenantId, lock } = text;
  const sealed = sealedBytesOf(lock);
  const keyId = defaultKeyIn(text)?.key_id;
  if (keyId === undefined) throw noDefaultKey();
  let opening: (() => Promise<KeyStore>) | undefined;
  async function opened(): Promise<KeyStore> {
    const { bytesOf, shared } = await import('./opening.ts');
    opening ??= shared(async (signal) => {
      const key = await bytesOf(open, sealed, signal);
      const keyFor = () => keyOfService(key, tenantId);
      return sealedStore(openSealed(given, { kind: 'kms', newLock: () => lock, keyFor }), memory, now);
    });
    return opening();
  }
  return { tenantId, keyId, opened };
}

const named = 'the sealed text';

function jsonIn(given: string): string {
  const refuse = (what: string): never => {
    throw new InputError(`${named} ${what}`);
  };
  const text = given.trim();
  if (!text.startsWith(prefix)) {
    refuse(`must be what \`npx --no-install @eaas/local new\` prints: ${prefix}… (got ${otherKindOf(text)})`);
  }
  if (text.includes(prefix, 1)) refuse('is there twice: set the variable to one of them');
  const sealed = text.slice(prefix.length);
  if (/[^A-Za-z\d+/=]/.test(sealed)) {
    refuse('has a character that no such text has: was it quoted, or broken into lines?');
  }
  const json = new TextDecoder().decode(readBase64(sealed));
  if (!json.endsWith('"}')) refuse('was cut: copy it whole');
  return json;
}

/** A store over an opened text, or over derived keys. */
export function sealedStore(file: KeyFile, memory: MemoryStore, now: () => number): KeyStore {
  const unchanged = (link: Link): Link => {
    if (isKept(link)) throw new Refusal('not_found', `${readOnly} ${file.seal ? addSecret : runRotate}`);
    return link;
  };
  return {
    ...keysInMemory(file, memory),
    plugins: [startingVersions(file, now)],
    store: {
      ...memory,
      append: async (id, link) => memory.append(id, unchanged(link)),
      locked: (id, needs, lost, work) =>
        memory.locked(id, needs, lost, (known) => {
          const link = work(known);
          return link && unchanged(link);
        }),
    },
  };
}

const readOnly =
  'A variable has keys and no room for more: other keys and people (`subject`) need a key file or a server. Start one, and move the ' +
  'keys into it with `eaas import`; no value needs to be encrypted again.';
const runRotate = 'To rotate, run `npx --no-install @eaas/local rotate`, and deploy what it prints.';
const addSecret =
  'To rotate, add a second secret, and deploy it everywhere with `current: 1` first. For an import, `npx --no-install @eaas/local ' +
  'expand` prints the variable.';

/** Wraps data keys under the newest version that has started. Later ones only unwrap until then. */
function startingVersions(file: KeyFile, now: () => number): Plugin {
  const starts = new Map(
    file.keys.map(({ key_id, versions }) => [key_id, versions.map(({ from = 0 }) => from)]),
  );
  const startedVersion = ({ key_id }: KeyRow): number =>
    (starts.get(key_id) ?? []).findLastIndex((from) => from <= now()) + 1;
  const atThisTime: Keying = { keyFor: (row) => ({ ...row, key_version: startedVersion(row) }) };
  return {
    name: 'starting versions',
    keying: (_, __, verb) => (verb === 'wrap' || verb === 'rewrap' ? atThisTime : undefined),
  };
}
