// A client that unwraps with exported keys, which an RSA private key opens: `decrypt --exported-key` needs no service.
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
import { attempt, inLine, personName, versionIn, openSecret } from '@eaas/protocol/internal';
import {
  intakeForm,
  type IntakePrivateKey,
  nobleIntakeCrypto,
  nobleIntakeKey,
  openForIntake,
} from '@eaas/protocol/internal-service';
import { nodeEngine } from '@eaas/protocol/node';
import type { Output } from '@eaas/protocol/wire';
import { EaasClient } from '@eaas/sdk';
import { inside } from '@eaas/sdk/internal';
import type { StreamClient } from '@eaas/sdk/stream';
import { CannotStart, FileFailure } from './failure.ts';
import { readKeyFile } from './read.ts';

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

export async function openOffline(
  exportedKeys: readonly string[],
  privateKey: string,
): Promise<OfflineClient> {
  const rsa = await readPrivateKey(privateKey);
  const keyIds = new Set<string>();
  const materials = new Map<string, Material>();
  const people = new Map<string, People>();
  const parts: (ExportedKey & { readonly path: string })[] = [];
  for (const path of exportedKeys) {
    for (const key of await readExportedKeys(path)) {
      parts.push({ ...key, path });
      const { key_id, tenant_id: tenantId } = key;
      keyIds.add(key_id);
      for (const { key_version, encrypted } of key.versions) {
        materials.set(`${key_id} ${key_version}`, { tenantId, encrypted, path });
      }
      const { subjects = [], subjects_key } = key;
      if (subjects_key === undefined) continue;
      const known = people.get(tenantId) ?? { key: { encrypted: subjects_key, path }, subjects: new Map() };
      people.set(tenantId, known);
      for (const { subject_id, encrypted } of subjects) known.subjects.set(subject_id, { encrypted, path });
    }
  }
  for (const { key_id, tenant_id, next_version = null, next_subject = null, path } of parts) {
    const hasVersions = next_version === null || materials.has(`${key_id} ${next_version}`);
    if (hasVersions && (next_subject === null || parts.some(endsPeopleOf(tenant_id)))) continue;
    const what = hasVersions ? 'people' : `versions from ${next_version}`;
    throw new CannotStart(
      `${inLine(path)} is a part of an export, without its ${what}: export the key again with \`export-key\`, or pass all parts.`,
    );
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
  if (!people) {
    throw new FileFailure(`${files} has no subjects: export the key again, with \`export-key --subjects\`.`);
  }
  const id = hmac(bytesOf(people.key, privateKey), personName(subject)).toString('hex');
  const found = people.subjects.get(id);
  if (found) return bytesOf(found, privateKey);
  throw new FileFailure(
    `${files} does not have this subject: it was erased, or first used after the export began, or has another name.`,
  );
}

function bytesOf(secret: Secret, privateKey: KeyObject): Buffer {
  secret.bytes ??= decryptSecret(privateKey, secret);
  return secret.bytes;
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

type Page = Output<'POST /v1/keys/:key_id/export'>;

/** A whole export, or one page of it. */
type ExportedKey = Omit<Page, 'next_version'> & Partial<Pick<Page, 'next_version'>>;

/** Whether a part has the last people of a tenant. */
const endsPeopleOf =
  (tenant: string) =>
  ({ tenant_id, subjects, next_subject = null }: ExportedKey): boolean =>
    tenant_id === tenant && subjects !== undefined && next_subject === null;

async function readExportedKeys(path: string): Promise<ExportedKey[]> {
  const text = await readKeyFile(path);
  const keys = [attempt((): unknown => JSON.parse(text))].flat();
  if (keys.every(isExportedKey)) return keys;
  throw new CannotStart(
    `${inLine(path)} must be an exported key, of this version or earlier: JSON from \`eaas-files export-key\` or from \`keys.export\`.`,
  );
}

function isExportedKey(value: unknown): value is ExportedKey {
  const { key_id, tenant_id, versions, subjects = [], subjects_key = '' } = Object(value) as ExportedKey;
  const areIds = [key_id, tenant_id].every((id) => typeof id === 'string' && parseUuid(id) === id);
  const arePeople = areSecrets(subjects, 'subject_id', 'string') && typeof subjects_key === 'string';
  // This format has no such member, and every later one does.
  return areIds && arePeople && areSecrets(versions, 'key_version', 'number') && !('format' in Object(value));
}

/** Whether a list has secrets by a name of this type. */
const areSecrets = (list: unknown, name: string, type: string): boolean =>
  Array.isArray(list) &&
  list.every((each) => typeof Object(each)[name] === type && typeof Object(each).encrypted === 'string');

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
