import { base64, concat, empty, hex, hkdf, pae, sha256, u32, utf8 } from './bytes.mjs';
import { encodeContext } from './context.mjs';
import { openBase, sealBase, xWingDecapsulate, xWingEncapsulate, xWingKeyPair } from './hpke.mjs';

const suite = Buffer.of(2, 1);
const headLength = 6;
const sealedAt = 1126;
const wrappedLength = 1174;

export function intakeKeyPair({ tenant, key, version }, versionBytes) {
  const seed = hkdf(versionBytes, empty, pae('eaas intake key v1', tenant, key, version), 32);
  return { seed, ...xWingKeyPair(seed) };
}

export function publicKeyText({ key, version }, publicKey) {
  const text = `eaas_pk_1.${key}.${version}.${base64(publicKey)}`;
  return `${text}.${hex(sha256(utf8(text)).subarray(0, 8))}`;
}

const intakeInfo = ({ key, version }) => pae('eaas intake v1', key, version);
const intakeAad = (head, context) => pae(head, encodeContext(context));

export function wrapForIntake(place, publicKey, { context, dek, seed }) {
  const head = concat(suite, u32(place.version));
  const info = intakeInfo(place);
  const aad = intakeAad(head, context);
  const { secret, enc } = xWingEncapsulate(publicKey, seed);
  return { info, aad, secret, wrapped: concat(head, enc, sealBase(secret, info, aad, dek)) };
}

export function unwrapIntake(place, keyPair, wrapped, context) {
  if (wrapped.length !== wrappedLength) throw new Error('length');
  if (!wrapped.subarray(0, 2).equals(suite)) throw new Error('format or suite');
  if (wrapped.readUInt32BE(2) !== place.version) throw new Error('version');
  const secret = xWingDecapsulate(keyPair, wrapped.subarray(headLength, sealedAt));
  const aad = intakeAad(wrapped.subarray(0, headLength), context);
  return openBase(secret, intakeInfo(place), aad, wrapped.subarray(sealedAt));
}
