import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto';
import { type Context, encodeContext, type Wrapped } from '@eaas/protocol';

const ivLength = 12;
const commitmentLength = 32;
const tagLength = 16;
const options = { authTagLength: tagLength } as const;

export function bareFields(dek: Uint8Array, wrapped: Wrapped, context?: Context) {
  const { header, commitment, key } = prepare(dek, wrapped);
  const aadOf = (of: Context | undefined) => Buffer.concat([header.subarray(0, 20), encodeContext(of)]);
  const aad = aadOf(context);
  const commitmentAt = header.length + ivLength;
  const bodyAt = commitmentAt + commitmentLength;
  let ivs = Buffer.alloc(0);
  let used = 0;

  return {
    seal: (text: string, ofRow?: Context): string => {
      if (used === ivs.length) {
        ivs = randomFillSync(Buffer.allocUnsafe(64 * ivLength));
        used = 0;
      }
      const iv = ivs.subarray(used, (used += ivLength));
      const cipher = createCipheriv('aes-256-gcm', key, iv, options).setAAD(ofRow ? aadOf(ofRow) : aad);
      const body = cipher.update(text, 'utf8');
      cipher.final();
      const envelope = Buffer.allocUnsafe(bodyAt + body.length + tagLength);
      envelope.set(header);
      envelope.set(iv, header.length);
      envelope.set(commitment, commitmentAt);
      envelope.set(body, bodyAt);
      envelope.set(cipher.getAuthTag(), bodyAt + body.length);
      return envelope.toString('base64');
    },
    open: (ciphertext: string, ofRow?: Context): string => {
      const envelope = Buffer.from(ciphertext, 'base64');
      const end = envelope.length - tagLength;
      if (end < bodyAt || envelope.compare(header, 0, header.length, 0, header.length) !== 0) {
        throw new Error('another header');
      }
      if (!timingSafeEqual(envelope.subarray(commitmentAt, bodyAt), commitment))
        throw new Error('another data key');
      const iv = envelope.subarray(header.length, commitmentAt);
      const decipher = createDecipheriv('aes-256-gcm', key, iv, options).setAAD(ofRow ? aadOf(ofRow) : aad);
      decipher.setAuthTag(envelope.subarray(end));
      const text = decipher.update(envelope.subarray(bodyAt, end));
      decipher.final();
      return text.toString('utf8');
    },
  };
}

function prepare(dek: Uint8Array, { keyId, keyVersion, wrappedKey }: Wrapped) {
  const derived = Buffer.from(hkdfSync('sha256', dek, '', 'eaas envelope v1', 64));
  const fixed = Buffer.alloc(26);
  fixed.set([0x79, 0xa6, 0xac, 1]);
  fixed.write(keyId.replaceAll('-', ''), 4, 'hex');
  fixed.writeUInt32BE(keyVersion, 20);
  fixed.writeUInt16BE(wrappedKey.length, 24);
  return {
    header: Buffer.concat([fixed, wrappedKey]),
    commitment: derived.subarray(32),
    key: createSecretKey(derived.subarray(0, 32)),
  };
}
