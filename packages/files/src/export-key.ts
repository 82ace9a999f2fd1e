// `eaas-files export-key`: writes a key, encrypted under an RSA public key, to a file that `decrypt` reads without the service.
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { WrongUsage } from './kit.ts';
import { inLine } from '@eaas/protocol/internal';
import type { Input } from '@eaas/protocol/wire';
import { one } from './ciphertext.ts';
import { type FileCommand, option, type Run } from './command.ts';
import { insecureHttp, keyIdsIn, withClient } from './connection.ts';
import { CannotStart } from './failure.ts';
import { standard } from './inputs.ts';
import { requireWritable } from './output-paths.ts';
import { readKeyFile } from './read.ts';
import { writePieces } from './write.ts';

type RsaPublicKey = Input<'POST /v1/keys/:key_id/export'>['public_key'];

export const exportKey: FileCommand = {
  name: 'export-key',
  about:
    'Export a key, so that `decrypt --exported-key` can decrypt without the service. The service encrypts every version ' +
    'of the key under your RSA public key, so only your private key opens the file. The key must be exportable, and the ' +
    'API key needs the permission keys.export.',
  options: [
    option('--public-key <path>', 'the RSA public key in PEM or JWK, with at least 3,072 bits'),
    option('-o, --out <path>', 'write to this file instead of standard output'),
    option('-f, --force', 'overwrite an existing file'),
    option('--key <id>', 'export this key instead of EAAS_KEY_ID'),
    option(
      '--subjects',
      'also export the secrets of all people of the tenant, for files that belong to a person',
    ),
    insecureHttp,
  ],
  examples: [
    'openssl genrsa -out private.pem 4096',
    'openssl rsa -in private.pem -pubout -out public.pem',
    'eaas-files export-key --public-key public.pem --out key.json',
  ],
  takesPaths: false,
  run: exportToFile,
};

async function exportToFile({ paths, options, stop: { signal } }: Run): Promise<number> {
  const { publicKey: path, out: output = standard, force = false, subjects = false } = options;
  if (path === undefined) {
    throw new WrongUsage(
      '--public-key is missing: pass the file of the RSA public key that encrypts the exported key.',
    );
  }
  if (paths.length > 0) throw new WrongUsage('`export-key` takes no path: pass the output file with --out.');
  const public_key = await readPublicKey(path);
  await requireWritable([output], force);
  const exported = await withClient(options, async (client) => {
    const [key_id = client.keyId] = keyIdsIn(options);
    if (key_id === undefined) {
      throw new CannotStart('The id of the key is missing: set EAAS_KEY_ID, or pass --key.');
    }
    return client.keys.export(key_id, { public_key, subjects }, { signal });
  });
  const text = `${JSON.stringify(exported, null, 2)}\n`;
  await writePieces(output, one(Buffer.from(text)), { force, mode: undefined });
  return 0;
}

async function readPublicKey(path: string): Promise<RsaPublicKey> {
  const text = await readKeyFile(path);
  try {
    if (/PRIVATE KEY|"d"/.test(text)) throw new Error('a private key');
    const isJwk = text.trimStart().startsWith('{');
    const key = isJwk
      ? createPublicKey({ key: JSON.parse(text) as JsonWebKey, format: 'jwk' })
      : createPublicKey(text);
    const { kty, n = '', e = '' } = key.export({ format: 'jwk' });
    if (kty === 'RSA') return { kty, n, e };
  } catch {}
  throw new CannotStart(
    `${inLine(path)} must be an RSA public key in PEM or JWK: make one with \`openssl rsa -in private.pem -pubout\`.`,
  );
}
