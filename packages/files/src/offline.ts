import {
  constants,
  createHmac,
  createPrivateKey,
  type JsonWebKey,
  type KeyObject,
  privateDecrypt,
} from 'node:crypto';
import { WrongUsage } from './kit.ts';
import { DecryptionError, parseUuid, type Wrapped } from '@eaas/protocol';
import { inLine, personName, versionIn, openSecret } from '@eaas/protocol/internal';
import { intakeForm, type IntakePrivateKey, nobleIntakeCrypto } from '@eaas/protocol/internal-service';
import { nobleIntakeKey, openForIntake } from '@eaas/protocol/internal-service';
import { nodeEngine } from '@eaas/protocol/node';
import { EaasClient } from '@eaas/sdk';
import { inside } from '@eaas/sdk/internal';
import type { StreamClient } from '@eaas/sdk/stream';
import { CannotStart, FileFailure } from './failure.ts';
import { readKeyFile } from './read.ts';

export interface OfflineFiles {
  readonly exportedKeys: readonly string[];
  readonly privateKey: string;
  readonly tenant: string | undefined;
}

export interface OfflineClient extends StreamClient {
  readonly keyIds: readonly string[];
}

/** A secret of an export, which the private key decrypts once. */
interface Secret {
  readonly encrypted: string;
  readonly path: string;
  bytes?: Buffer;
}

interface Material extends Secret {
  readonly tenantId: string;
  intakeKey?: IntakePrivateKey;
}

/** The subjects of a tenant, by their ids, and the key of the ids. */
interface People {
  readonly key: Secret;
  readonly subjects: Map<string, Secret>;
}

export async function openOffline({
  exportedKeys,
  privateKey,
  tenant,
}: OfflineFiles): Promise<OfflineClient> {
  const rsa = await readPrivateKey(privateKey);
  const keyIds = new Set<string>();
  const materials = new Map<string, Material>();
  const people = new Map<string, People>();
  for (const path of exportedKeys) {
    for (const key of await readExportedKeys(path)) {
      const tenantId = tenantOf(key, tenant, path);
      keyIds.add(key.key_id);
      for (const { key_version, encrypted } of key.versions) {
        materials.set(`${key.key_id} ${key_version}`, { tenantId, encrypted, path });
      }
      const { subjects = [], subjects_key } = key;
      if (subjects_key === undefined) continue;
      const known = people.get(tenantId) ?? { key: { encrypted: subjects_key, path }, subjects: new Map() };
      people.set(tenantId, known);
      for (const { subject_id, encrypted } of subjects) known.subjects.set(subject_id, { encrypted, path });
    }
  }
  return {
    [inside]: {
      // The halves of the environment, of a client that is never called.
      ...new EaasClient({ baseUrl: 'https://localhost', apiKey: () => '' })[inside],
      engines: { values: nodeEngine, sync: nodeEngine, streams: nodeEngine },
    },
    keyId: undefined,
    keyIds: [...keyIds],
    wrap: () =>
      Promise.reject(
        new WrongUsage('An exported key can only decrypt: encrypt with a key that the service holds.'),
      ),
    async unwrap(wrapped, { subject } = {}) {
      const { keyId, keyVersion } = wrapped;
      const material = materials.get(`${keyId} ${keyVersion}`);
      const files = exportedKeys.map(inLine).join(', ');
      if (material) {
        const secret =
          subject === undefined ? undefined : secretOf(people.get(material.tenantId), subject, rsa, files);
        return unwrap(material, rsa, wrapped, secret);
      }
      const advice = 'export the key again, because it was rotated after the export';
      throw new FileFailure(`${files} has no version ${keyVersion} of the key ${keyId}: ${advice}.`);
    },
  };
}

/** Returns the secret of a subject. The id of the subject follows from its name, by a key of the export. */
function secretOf(people: People | undefined, subject: string, privateKey: KeyObject, files: string): Buffer {
  if (!people)
    throw new FileFailure(`${files} has no subjects: export the key again, with \`export-key --subjects\`.`);
  const id = hmac(bytesOf(people.key, privateKey), personName(subject)).toString('hex');
  const found = people.subjects.get(id);
  if (found) return bytesOf(found, privateKey);
  throw new FileFailure(
    `${files} does not have this subject: it was erased, or first used after the export, or has another name.`,
  );
}

function bytesOf(secret: Secret, privateKey: KeyObject): Buffer {
  return (secret.bytes ??= decryptSecret(privateKey, secret));
}

function unwrap(
  material: Material,
  privateKey: KeyObject,
  wrapped: Wrapped,
  person: Uint8Array | undefined,
): Uint8Array {
  const { keyId, keyVersion: version, wrappedKey } = wrapped;
  const place = { purpose: 'dek', tenantId: material.tenantId, keyId, version, subject: person } as const;
  const isOfWriter = !person && versionIn(intakeForm, wrappedKey) === version;
  const bytes = bytesOf(material, privateKey);
  const dek = isOfWriter
    ? openOfWriter(material, bytes, wrapped)
    : openSecret({ engine: nodeEngine, hmac }, bytes, place, wrappedKey);
  if (!dek) throw new DecryptionError();
  return dek;
}

const hmac = (key: Uint8Array, message: Uint8Array | string): Buffer =>
  createHmac('sha256', key).update(message).digest();

function openOfWriter(material: Material, bytes: Buffer, wrapped: Wrapped): Uint8Array | undefined {
  material.intakeKey ??= nobleIntakeKey(bytes, material.tenantId, wrapped);
  const sharedSecret = material.intakeKey.decapsulate(wrapped.wrappedKey);
  if (!sharedSecret) return undefined;
  const dek = openForIntake(nobleIntakeCrypto, wrapped, wrapped.wrappedKey, sharedSecret);
  sharedSecret.fill(0);
  return dek;
}

function decryptSecret(key: KeyObject, { encrypted, path }: Secret): Buffer {
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  try {
    return privateDecrypt({ key, padding, oaepHash: 'sha256' }, Buffer.from(encrypted, 'base64'));
  } catch (error) {
    const message = `The private key does not decrypt ${inLine(path)}: pass the private key that belongs to the public key of the export.`;
    throw new CannotStart(message, { cause: error });
  }
}

function tenantOf({ tenant_id }: ExportedKey, tenant: string | undefined, path: string): string {
  const id = parseUuid(tenant ?? tenant_id ?? '');
  if (id !== undefined) return id;
  if (tenant !== undefined) throw new WrongUsage('--tenant must be a UUID: pass the id of the tenant.');
  throw new CannotStart(
    `${inLine(path)} has no \`tenant_id\`: copy the \`tenant_id\` of an audit entry, and pass it with --tenant.`,
  );
}

interface ExportedVersion {
  readonly key_version: number;
  readonly encrypted: string;
}

interface ExportedKey {
  readonly key_id: string;
  readonly tenant_id?: string;
  readonly versions: readonly ExportedVersion[];
  readonly subjects?: readonly ExportedSubject[];
  readonly subjects_key?: string;
}

interface ExportedSubject {
  readonly subject_id: string;
  readonly encrypted: string;
}

async function readExportedKeys(path: string): Promise<ExportedKey[]> {
  const text = await readKeyFile(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const keys = [value].flat();
  if (keys.every(isExportedKey)) return keys;
  throw new CannotStart(
    `${inLine(path)} must be an exported key: JSON from \`eaas-files export-key\` or from \`keys.export\` of the SDK.`,
  );
}

function isExportedKey(value: unknown): value is ExportedKey {
  const {
    key_id,
    tenant_id,
    versions,
    subjects = [],
    subjects_key = '',
  } = (value ?? {}) as Record<string, unknown>;
  const isTenant = tenant_id === undefined || typeof tenant_id === 'string';
  const isKey = typeof key_id === 'string' && parseUuid(key_id) === key_id;
  const arePeople = Array.isArray(subjects) && subjects.every(isSubject) && typeof subjects_key === 'string';
  return isKey && isTenant && arePeople && Array.isArray(versions) && versions.every(isVersion);
}

function isVersion(value: unknown): value is ExportedVersion {
  const { key_version, encrypted } = (value ?? {}) as Record<string, unknown>;
  return Number.isInteger(key_version) && typeof encrypted === 'string';
}

function isSubject(value: unknown): value is ExportedSubject {
  const { subject_id, encrypted } = (value ?? {}) as Record<string, unknown>;
  return typeof subject_id === 'string' && typeof encrypted === 'string';
}

async function readPrivateKey(path: string): Promise<KeyObject> {
  const text = await readKeyFile(path);
  try {
    if (!text.trimStart().startsWith('{')) return createPrivateKey(text);
    return createPrivateKey({ key: JSON.parse(text) as JsonWebKey, format: 'jwk' });
  } catch (error) {
    const message =
      `${inLine(path)} must be an RSA private key in PEM or JWK, without a passphrase (\`openssl rsa -in ` +
      `encrypted.pem\` removes it).`;
    throw new CannotStart(message, { cause: error });
  }
}
