import { createHash } from 'node:crypto';
import { Aes256Gcm, CipherSuite, HkdfSha256 } from '@hpke/core';
import { XWing } from '@hpke/hybridkem-x-wing';
import { pae, seal } from '@eaas/protocol';
import { encodeContext, hkdf, u32 } from './decoder.ts';
import { newDek, ok, type Tenant } from './fixture.ts';
import { openOaep, publicJwk } from './rsa.ts';

// The writer uses an independent HPKE library, also for the public keys.

const kem = new XWing();
const suite = new CipherSuite({ kem, kdf: new HkdfSha256(), aead: new Aes256Gcm() });

interface Written {
  readonly dek?: string;
  readonly version?: number;
  readonly context?: Readonly<Record<string, string>>;
}

export async function intakeWriter(tenant: Tenant, fields: object = { intake: true }) {
  const { key_id: keyId } = await tenant.newKey({ exportable: true, ...fields });
  const keys = async (version: number) => {
    const body = { public_key: publicJwk(), from_version: version };
    const { versions } = ok(await tenant.api.post(`/v1/keys/${keyId}/export`, body));
    const info = Buffer.from(pae('eaas intake key v1', tenant.tenant_id, keyId, version));
    const pair = await kem.generateKeyPairDerand(hkdf(openOaep(versions[0]?.encrypted ?? ''), info, 32));
    return Buffer.from(await kem.serializePublicKey(pair.publicKey));
  };
  const known = new Map<number, ReturnType<typeof keys>>();
  const keysOf = (version: number) => {
    const found = known.get(version) ?? keys(version);
    known.set(version, found);
    return found;
  };
  const wrap = async ({ dek = newDek(), version = 1, context = {} }: Written = {}): Promise<string> => {
    const publicKey = await keysOf(version);
    const head = Buffer.concat([Buffer.of(2, 1), u32(version)]);
    const { enc, ct } = await suite.seal(
      {
        recipientPublicKey: await suite.kem.importKey('raw', exact(publicKey), true),
        info: exact(pae('eaas intake v1', keyId, version)),
      },
      exact(Buffer.from(dek, 'base64')),
      exact(pae(head, encodeContext(context))),
    );
    return Buffer.concat([head, Buffer.from(enc), Buffer.from(ct)]).toString('base64');
  };
  return {
    keyId,
    wrap,
    async publicKey(version = 1) {
      const text = `eaas_pk_1.${keyId}.${version}.${(await keysOf(version)).toString('base64')}`;
      return `${text}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    },
    async encrypt(plaintext: string, { version = 1 } = {}) {
      const envelope = await seal(Buffer.from(plaintext), async (dek) => {
        const wrapped = await wrap({ version, dek: Buffer.from(dek).toString('base64') });
        return { keyId, keyVersion: version, wrappedKey: Buffer.from(wrapped, 'base64') };
      });
      return Buffer.from(envelope).toString('base64');
    },
  };
}

const exact = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
