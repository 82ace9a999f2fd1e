// The text of a key file, written and read. docs/key-file.md specifies it.
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { InputError, pae, parseUuid } from '@eaas/protocol';
import { readBase64, toBase64 } from '@eaas/protocol/base64';
import {
  hashKeyPlace,
  openSecret,
  type SecretPlace,
  sealSecret,
  subjectPlace,
  tenantPlace,
  versionPlace,
} from '@eaas/protocol/internal-sealing';
import { type KeyFields, keyRecord, type SubjectFields } from '@eaas/protocol/service';
import { endpoints } from '@eaas/protocol/wire';
import * as platform from '#engine';
import { advice, type Lock, type Opener } from './file-opener.ts';
import type { Key, StoredSubject, Tenant } from './tenant.ts';

export interface KeyFile {
  readonly tenantId: string;
  readonly lock: Lock;
  /** The tenant's secret, as the file has it: in base64, and sealed if the file is locked. */
  readonly sealedSecret: string;
  readonly secret: Uint8Array;
  readonly keys: readonly Key[];
  /** Subjects by their ids. */
  readonly subjects: ReadonlyMap<string, StoredSubject>;
  readonly idKeys: Tenant['idKeys'];
}

type StoredKey = Omit<KeyFields, 'rev'> & {
  readonly hash_key: string | null;
  readonly versions: readonly { readonly created_at: number; readonly sealed: string | null }[];
};

interface SealedSubject extends SubjectFields {
  readonly subject_id: string;
  readonly sealed: string | null;
}

interface Stored {
  readonly format: string;
  readonly version: number;
  readonly tenant_id: string;
  readonly lock: Lock;
  readonly tenant_secret: string;
  readonly keys: readonly StoredKey[];
  readonly subjects: readonly SealedSubject[];
  readonly mac: string;
}

const format = 'eaas-local';
const version = 1;

/** Makes the file of a new tenant. */
export const newKeyFile = (opener: Opener): KeyFile => sealed(crypto.randomUUID(), [], opener);

/**
 * Returns the file under another lock, with a new secret of the tenant: whoever opens an old copy of the file does not
 * learn what seals the keys of the new one. A file with subjects keeps the secret, because their ids depend on it.
 */
export function relockedKeyFile({ tenantId, keys, subjects, secret }: KeyFile, opener: Opener): KeyFile {
  const copy = (material: Uint8Array | null) => material && new Uint8Array(material);
  // Copies, because `formatKeyFile` keeps the sealed bytes of material that it knows.
  const copies = keys.map(({ row, hashKey, versions }) => ({
    row,
    hashKey: copy(hashKey),
    versions: versions.map((each) => ({ created_at: each.created_at, secret: copy(each.secret) })),
  }));
  const copiedSubjects = Array.from(
    subjects,
    ([id, subject]) => [id, { ...subject, secret: copy(subject.secret) }] as const,
  );
  const kept = subjects.size > 0 ? new Uint8Array(secret) : undefined;
  return sealed(tenantId, copies, opener, new Map(copiedSubjects), kept);
}

function sealed(
  tenantId: string,
  keys: readonly Key[],
  opener: Opener,
  subjects: KeyFile['subjects'] = new Map(),
  secret: Uint8Array = new Uint8Array(randomBytes(32)),
): KeyFile {
  const lock = opener.newLock();
  const key = opener.keyFor(lock);
  const sealedSecret = toBase64(key ? sealSecret(platform, key, tenantPlace(tenantId), secret) : secret);
  key?.fill(0);
  return { tenantId, lock, sealedSecret, secret, keys, subjects, idKeys: idKeysOf(secret, tenantId) };
}

/** Overwrites every secret of an opened file. */
export function wipeKeyFile({ secret, keys, subjects, idKeys }: KeyFile): void {
  for (const bytes of [secret, idKeys.subjects, idKeys.users]) bytes.fill(0);
  for (const { hashKey, versions } of keys) {
    hashKey?.fill(0);
    for (const version of versions) version.secret?.fill(0);
  }
  for (const subject of subjects.values()) subject.secret?.fill(0);
}

/** Material that has not changed keeps its sealed bytes, so that an unchanged file has the same text. */
const sealedTexts = new WeakMap<Uint8Array, string>();

export function formatKeyFile({ tenantId, lock, sealedSecret, secret, keys, subjects }: KeyFile): string {
  const sealing = derived(secret, tenantId, 'sealing');
  const seal = (place: SecretPlace, material: Uint8Array | null): string | null => {
    if (!material) return null;
    const sealed = sealedTexts.get(material) ?? toBase64(sealSecret(platform, sealing, place, material));
    sealedTexts.set(material, sealed);
    return sealed;
  };
  const content = {
    format,
    version,
    tenant_id: tenantId,
    lock,
    tenant_secret: sealedSecret,
    keys: keys.map(({ row: { rev: _rev, ...row }, hashKey, versions }): StoredKey => ({
      ...row,
      hash_key: seal(hashKeyPlace(tenantId, row.key_id), hashKey),
      versions: versions.map(({ created_at, secret: material }, index) => ({
        created_at,
        sealed: seal(versionPlace(tenantId, row.key_id, index + 1), material),
      })),
    })),
    subjects: Array.from(
      subjects,
      ([subject_id, { created_at, erased_at, secret: material }]): SealedSubject => ({
        subject_id,
        created_at,
        erased_at,
        sealed: seal(subjectPlace(tenantId, subject_id), material),
      }),
    ),
  };
  return `${JSON.stringify({ ...content, mac: toBase64(macOf(content, secret, tenantId)) }, null, 2)}\n`;
}

/** Opens a key file. `known` is what this process found in it before. */
export function openKeyFile(
  path: string,
  text: string,
  opener: Opener,
  known?: Pick<KeyFile, 'sealedSecret' | 'secret'>,
): KeyFile {
  const stored = parse(path, text);
  const damaged = (): InputError =>
    new InputError(`the key file ${path} was cut, damaged or edited: restore it from your copy`);
  try {
    const { tenant_id: tenantId, lock, tenant_secret: sealedSecret, mac, keys, subjects, ...others } = stored;
    if (parseUuid(tenantId) !== tenantId) throw damaged();
    if (known && known.sealedSecret !== sealedSecret)
      throw new InputError(
        `the key file ${path} was locked anew, or was cut, damaged or edited: restart this process with ` +
          `the variables that open the file, or restore it from your copy`,
      );
    const secret = known?.secret ?? openTenantSecret(path, stored, opener);
    const found = readBase64(mac);
    const expected = macOf(
      { ...others, tenant_id: tenantId, lock, tenant_secret: sealedSecret, keys, subjects },
      secret,
      tenantId,
    );
    if (found?.length !== expected.length || !timingSafeEqual(found, expected)) throw damaged();
    const sealing = derived(secret, tenantId, 'sealing');
    return {
      tenantId,
      lock,
      sealedSecret,
      secret,
      keys: keys.map((key) => openKey(tenantId, sealing, key)),
      subjects: new Map(subjects.map((subject) => openSubject(tenantId, sealing, subject))),
      idKeys: idKeysOf(secret, tenantId),
    };
  } catch (error) {
    throw error instanceof InputError ? error : damaged();
  }
}

/** Returns what locks a file, before anything is opened. */
export function readLock(path: string, text: string): Lock {
  return parse(path, text).lock;
}

function parse(path: string, text: string): Stored {
  let found: Partial<Stored>;
  try {
    found = Object(JSON.parse(text)) as Partial<Stored>;
  } catch {
    throw new InputError(
      `the key file ${path} is not JSON (${text.length} characters): it was cut or overwritten, so restore it from your copy`,
    );
  }
  if (found.format !== format)
    throw new InputError(`the file ${path} is not a key file of a local service: pass another path`);
  if (found.version !== version)
    throw new InputError(
      `the key file ${path} has another version than ${version} (got ${Number(found.version)}): use the ` +
        `release of @eaas/local that wrote it, or a newer one`,
    );
  return found as Stored;
}

function openTenantSecret(
  path: string,
  { tenant_id, lock, tenant_secret }: Stored,
  opener: Opener,
): Uint8Array {
  if (lock.kind !== opener.kind)
    throw new InputError(
      lock.kind === 'none'
        ? `the key file ${path} is not locked, but the environment says so, and somebody might have ` +
            `replaced the file: restore it from your copy, or ${advice.none}`
        : `the key file ${path} is locked: ${advice[lock.kind]}`,
    );
  const key = opener.keyFor(lock);
  const stored = readBase64(tenant_secret);
  const secret = key && stored ? openSecret(platform, key, tenantPlace(tenant_id), stored) : stored;
  key?.fill(0);
  if (secret?.length === 32) return new Uint8Array(secret);
  throw new InputError(
    lock.kind === 'none'
      ? `the key file ${path} was damaged or edited: restore it from your copy`
      : `the key file ${path} does not open: ${advice[lock.kind]}, or restore the file from your copy if it was edited`,
  );
}

function openKey(tenantId: string, sealing: Uint8Array, stored: StoredKey): Key {
  const { hash_key, versions, ...fields } = stored;
  const row: KeyFields = { ...fields, rev: 0 };
  // Throws for a row that this library does not write.
  endpoints['POST /v1/keys'].output.parse(keyRecord(row));
  if (versions.length !== row.key_version) throw new TypeError('a key must have all its versions');
  const open = (place: SecretPlace, text: string | null): Uint8Array | null => {
    if (text === null && row.status === 'destroyed') return null;
    const material = openSecret(platform, sealing, place, readBase64(text ?? '') ?? new Uint8Array());
    if (!material) throw new TypeError('sealed material must open');
    sealedTexts.set(material, text ?? '');
    return material;
  };
  return {
    row,
    hashKey: open(hashKeyPlace(tenantId, row.key_id), hash_key),
    versions: versions.map(({ created_at, sealed }, index) => ({
      created_at,
      secret: open(versionPlace(tenantId, row.key_id, index + 1), sealed),
    })),
  };
}

function openSubject(
  tenantId: string,
  sealing: Uint8Array,
  { subject_id, created_at, erased_at, sealed }: SealedSubject,
): [string, StoredSubject] {
  if (sealed === null && erased_at !== null) return [subject_id, { created_at, erased_at, secret: null }];
  const secret = openSecret(
    platform,
    sealing,
    subjectPlace(tenantId, subject_id),
    readBase64(sealed ?? '') ?? new Uint8Array(),
  );
  if (!secret || erased_at !== null) throw new TypeError('a sealed subject must open, and not be erased');
  sealedTexts.set(secret, sealed ?? '');
  return [subject_id, { created_at, erased_at, secret }];
}

const idKeysOf = (secret: Uint8Array, tenantId: string): Tenant['idKeys'] => ({
  subjects: derived(secret, tenantId, 'subjects'),
  users: derived(secret, tenantId, 'users'),
});

function macOf(content: object, secret: Uint8Array, tenantId: string): Uint8Array {
  return createHmac('sha256', derived(secret, tenantId, 'local-file'))
    .update(JSON.stringify(content))
    .digest();
}

function derived(secret: Uint8Array, tenantId: string, name: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', pae('eaas tenant v1', tenantId, name), 32));
}
