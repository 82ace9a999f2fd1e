import { generateKeyPairSync, sign } from 'node:crypto';

// This file encodes the certificate itself, because Node cannot create certificates.

const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128 ? Buffer.of(body.length) : Buffer.of(0x82, body.length >> 8, body.length & 255);
  return Buffer.concat([Buffer.of(tag), length, body]);
};
const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const time = (date: Date): Buffer =>
  der(0x17, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(2, 14)}Z`));

const ecdsaWithSha256 = sequence(hex('06082a8648ce3d040302'));
const name = sequence(der(0x31, sequence(hex('0603550403'), der(0x0c, Buffer.from('localhost')))));
const localhost = der(0x82, Buffer.from('localhost'));
const loopback = der(0x87, Buffer.of(127, 0, 0, 1));

export function selfSigned({ withIp = true } = {}): { certificate: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  const names = withIp ? [localhost, loopback] : [localhost];
  const contents = sequence(
    der(0xa0, hex('020102')),
    hex('020101'),
    ecdsaWithSha256,
    name,
    sequence(time(new Date(now - 60_000)), time(new Date(now + 3_600_000))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(hex('0603551d11'), der(0x04, sequence(...names))))),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', contents, privateKey));
  const certificate = sequence(contents, ecdsaWithSha256, signature).toString('base64');
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
