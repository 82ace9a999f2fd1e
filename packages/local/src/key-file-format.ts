// The text of a key file, written and read. docs/key-file.md specifies it. The stores over a file and over a sealed text use it
// (key-file-store.ts, sealed.ts), and the commands that import, lock and rotate them.
import { InputError, pae, parseUuid, toUtf8 } from '@eaas/protocol';
import { readBase64, toBase64 } from '@eaas/protocol/internal-base64';
import {
  attempt,
  hashKeyPlace,
  inLine,
  randomBytes,
  type SecretPlace,
  tenantPlace,
  versionPlace,
} from '@eaas/protocol/internal';
import {
  type Contents,
  forIntake,
  hkdf,
  hmac,
  type KeptKey,
  type KeyRow,
  naming,
  newKey,
  newMaterial,
  openSecret,
  rootKey,
  sameBytes,
  sealSecret,
  type Secret,
  withMaterial,
} from '@eaas/service';
import { advice, type Lock, type Opener } from './opener.ts';

/** A key as a file has it. Its material is sealed in the form of the server, in base64, or null once it is destroyed. */
export type FileKey = KeptKey<string | null>;

/** What a file has of keys and people. */
export type FileContents = Contents<string | null>;

/** An opened key file. */
export interface KeyFile extends FileContents {
  readonly tenantId: string;
  readonly lock: Lock;
  /** The tenant's secret, as the file has it: in base64, and sealed if the file is locked. */
  readonly sealedSecret: string;
  readonly secret: Uint8Array;
  /** Seals the material of a new key or version for its place, if that is derived. Absent: it is random. */
  readonly seal?: typeof newMaterial;
}

/** A file that is not opened. */
export interface Stored extends FileContents {
  readonly format: string;
  readonly version: number;
  readonly tenant_id: string;
  readonly lock: Lock;
  readonly tenant_secret: string;
  readonly mac: string;
}

const format = 'eaas-local';
/** The versions of files that can be read; the last one is written. Between 2 and 3, only the number changed. */
const fileVersions = [2, 3];
/** Sealed texts are still of the first version: unlike files, they never lacked what they have today. */
export const sealedVersions = [1];

/** Makes the file of a new tenant. */
export const newKeyFile = (opener: Opener): KeyFile => ({
  ...lockedBy(opener, crypto.randomUUID(), randomBytes(32)),
  keys: [],
  subjects: [],
});

/** The key `default`, which clients use if they have no other. */
export const defaultKeyIn = ({ keys }: Pick<KeyFile, 'keys'>): FileKey | undefined =>
  keys.find(({ name, status }) => name === 'default' && status !== 'destroyed');

/** Makes a key `default`. */
export function newDefaultKey(file: KeyFile, now: number, key_id: string = crypto.randomUUID()): FileKey {
  const { tenantId: tenant_id, seal = newMaterial } = file;
  const sealed_hash_key = seal(sealingOf(file), hashKeyPlace(tenant_id, key_id));
  const made = { tenant_id, key_id, sealed_hash_key };
  const { row } = newKey({ name: 'default' }, { now, entryId: 0 }, null, made, [naming, forIntake]);
  return fileKey(row, [newVersion(file, row, now)]);
}

/** Makes the version of a key that its row names. */
export function newVersion(file: KeyFile, { key_id, key_version }: Versioned, created_at: number) {
  const { tenantId, seal = newMaterial } = file;
  const sealed = seal(sealingOf(file), versionPlace(tenantId, key_id, key_version));
  return { created_at, sealed: toBase64(sealed) };
}

type Versioned = Pick<KeyRow, 'key_id' | 'key_version'>;

/**
 * Returns the file under another lock, with a new secret of the tenant: whoever opens an old copy of the file does not
 * learn what seals the keys of the new one. A file with subjects keeps the secret, because their ids depend on it.
 */
export function relockedKeyFile(file: KeyFile, opener: Opener): KeyFile {
  const { tenantId, subjects } = file;
  if (subjects.length > 0) return { ...file, ...lockedBy(opener, tenantId, new Uint8Array(file.secret)) };
  const next = lockedBy(opener, tenantId, randomBytes(32));
  const sealing = sealingOf(next);
  const resealed = withOpened(file, (place, material) => {
    const sealed = material && toBase64(sealSecret(sealing, place, material));
    material?.fill(0);
    return sealed;
  });
  return { ...next, ...resealed };
}

function lockedBy(opener: Opener, tenantId: string, secret: Uint8Array) {
  const lock = opener.newLock();
  const key = opener.keyFor(lock, tenantId);
  const sealedSecret = toBase64(key ? sealSecret(rootKey(key).key, tenantPlace(tenantId), secret) : secret);
  key?.fill(0);
  return { tenantId, lock, sealedSecret, secret };
}

/** Opens all material of a file. `use` wipes it. Throws InputError for what does not open. */
export function withOpened<T>(
  file: KeyFile,
  use: (place: SecretPlace, material: Uint8Array | null) => T,
): Contents<T> {
  const sealing = sealingOf(file);
  return withMaterial(file.tenantId, file, (place, text) => {
    const material = text === null ? null : openSecret(sealing, place, readBase64(text) ?? new Uint8Array());
    if (material === undefined) {
      throw new InputError('the key file was cut, damaged or edited: restore it from your copy');
    }
    return use(place, material);
  });
}

/** Returns the text of a file, in lines if it is indented. */
export function formatKeyFile(file: KeyFile, indent = 2, versions = fileVersions): string {
  const { tenantId, lock, sealedSecret, secret, keys, subjects } = file;
  const named = { format, version: versions.at(-1), tenant_id: tenantId, lock, tenant_secret: sealedSecret };
  const content = { ...named, keys, subjects };
  const mac = toBase64(macOf(content, secret, tenantId));
  return `${JSON.stringify({ ...content, mac }, null, indent)}\n`;
}

/** Opens a key file, which errors call `name`. `known` is what this process found in it before. */
export function openKeyFile(
  name: string,
  text: string,
  opener: Opener,
  known?: Pick<KeyFile, 'sealedSecret' | 'secret'>,
  versions = fileVersions,
): KeyFile {
  const file = readUnopened(name, text, versions);
  const { tenant_id: tenantId, lock, tenant_secret: sealedSecret, keys, subjects } = file;
  try {
    if (parseUuid(tenantId) !== tenantId) throw damaged(name);
    if (known && known.sealedSecret !== sealedSecret) {
      throw new InputError(
        `${name} was locked anew, or was cut, damaged or edited: restart this process with ` +
          `the variables that open it, or restore it from your copy`,
      );
    }
    const secret = known?.secret ?? openTenantSecret(name, file, opener);
    // Of what the file has, as it is.
    const { mac, ...content } = JSON.parse(text) as Stored;
    const found = readBase64(mac);
    if (!found || !sameBytes(found, macOf(content, secret, tenantId))) throw damaged(name);
    return { tenantId, lock, sealedSecret, secret, keys, subjects };
  } catch (error) {
    throw error instanceof InputError ? error : damaged(name);
  }
}

const damaged = (name: string): InputError =>
  new InputError(`${name} was cut, damaged or edited: restore it from your copy`);

/** Reads a file without opening it. Nobody vouches for it before its MAC is checked. Throws InputError. */
export function readUnopened(name: string, text: string, versions = fileVersions): Stored {
  const found = attempt(() => Object(JSON.parse(text)) as Partial<Stored>);
  if (!found) {
    throw new InputError(
      `${name} is not JSON (${text.length} characters): it was cut or overwritten, so restore it from your copy`,
    );
  }
  if (found.format !== format) {
    throw new InputError(`${name} is not a key file of a local service: pass another path`);
  }
  if (!versions.includes(found.version as number)) {
    throw new InputError(
      `${name} has another version than ${versions.join(' and ')} (got ${Number(found.version)}): use the release that wrote it`,
    );
  }
  return completed(name, found as Stored);
}

/** Stands for a member that each file has. */
const required = Symbol();

/**
 * The members of a part of a file, in the order in which they are written, and what stands for one
 * that a file lacks. So a member that a later version adds needs a value here, and files of before
 * open. A member that is not here is refused, because the next change would drop it.
 */
type Members<Part> = Readonly<Record<keyof Part, unknown>>;

const fileMembers: Members<Stored> = {
  format: required,
  version: required,
  tenant_id: required,
  lock: required,
  tenant_secret: required,
  keys: required,
  mac: required,
  subjects: [],
};

const lockMembers: { readonly [Kind in Lock['kind']]: Members<Lock & { readonly kind: Kind }> } = {
  none: { kind: required },
  passphrase: { kind: required, salt: required },
  key: { kind: required },
  kms: { kind: required, sealed: required },
};

const keyMembers: Members<FileKey & Readonly<Record<'subjects' | 'intake', unknown>>> = {
  key_id: required,
  name: required,
  key_version: required,
  status: required,
  created_at: required,
  exportable: false,
  rotated_at: null,
  interval_days: null,
  next_rotation_at: null,
  destroy_at: null,
  min_version: 1,
  subjects: 'optional',
  intake: false,
  hash_key: required,
  versions: required,
};

const versionMembers: Members<FileKey['versions'][number]> = {
  created_at: required,
  sealed: required,
  from: undefined,
};

const subjectMembers: Members<FileContents['subjects'][number]> = {
  subject_id: required,
  created_at: required,
  sealed: required,
  erased_at: null,
};

/** A key as the file has it, from a row. */
export function fileKey(row: KeyRow, versions: FileKey['versions']): FileKey {
  const columns = Object.keys(keyMembers).map((name) => [name, Reflect.get(row, name) as unknown]);
  return { ...(Object.fromEntries(columns) as FileKey), hash_key: textOf(row.sealed_hash_key), versions };
}

/** Material as the file has it. */
export const textOf = (bytes: Uint8Array | null): string | null => bytes && toBase64(bytes);

/**
 * Returns a file with all its members, in its order. Throws InputError, which names one that is
 * missing or unknown.
 */
function completed(name: string, stored: Stored): Stored {
  const { keys, subjects, lock, ...file } = completedPart(name, '', fileMembers, stored);
  const { kind } = Object(lock) as Lock;
  return {
    ...file,
    lock: completedPart(name, 'lock.', lockMembers[kind] ?? {}, lock),
    keys: completedList(name, 'keys.', keyMembers, keys).map((key) => completedVersions(name, key)),
    subjects: completedList(name, 'subjects.', subjectMembers, subjects),
  };
}

function completedVersions(name: string, key: FileKey): FileKey {
  const versions = completedList(name, 'keys.versions.', versionMembers, key.versions);
  return { ...key, versions };
}

function completedList<T>(name: string, place: string, members: object, parts: readonly T[]): T[] {
  if (!Array.isArray(parts)) throw damaged(name);
  return parts.map((part: T) => completedPart(name, place, members, part));
}

/** Returns a part of a file with all its members. Errors write `place` before a member's name. */
function completedPart<T>(name: string, place: string, members: object, part: T): T {
  const stored = Object(part) as T & object;
  const whole = { ...stored, ...members, ...stored };
  for (const [member, value] of Object.entries(whole)) {
    const isMissing = value === required;
    if (isMissing || !Object.hasOwn(members, member)) {
      const what = isMissing ? 'no' : 'an unknown';
      throw new InputError(
        `${name} has ${what} \`${inLine(place + member)}\`: restore your copy, or use the release that wrote it`,
      );
    }
  }
  return whole;
}

function openTenantSecret(name: string, file: Stored, opener: Opener): Uint8Array {
  const { tenant_id, lock, tenant_secret } = file;
  if (lock.kind !== opener.kind) {
    throw new InputError(
      lock.kind === 'none'
        ? `${name} is not locked, but the environment says so, and somebody might have ` +
            `replaced it: restore it from your copy, or ${advice.none}`
        : `${name} is locked: ${advice[lock.kind]}`,
    );
  }
  const key = opener.keyFor(lock, tenant_id);
  const stored = readBase64(tenant_secret);
  const secret = key && stored ? openSecret(rootKey(key).key, tenantPlace(tenant_id), stored) : stored;
  key?.fill(0);
  if (secret?.length === 32) return new Uint8Array(secret);
  throw new InputError(
    lock.kind === 'none'
      ? `${name} was damaged or edited: restore it from your copy`
      : `${name} does not open: ${advice[lock.kind]}, or restore it from your copy if it was edited`,
  );
}

const macOf = (content: object, secret: Uint8Array, tenantId: string): Uint8Array =>
  hmac(derived(secret, tenantId, 'local-file'), toUtf8(JSON.stringify(content)));

/** The key that seals the material of a file. */
const sealingOf = ({ secret, tenantId }: Pick<KeyFile, 'secret' | 'tenantId'>): Secret =>
  derived(secret, tenantId, 'sealing');

const derived = (secret: Uint8Array, tenantId: string, name: string): Secret =>
  hkdf(secret, pae('eaas tenant v1', tenantId, name));
