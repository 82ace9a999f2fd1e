import { open } from 'node:fs/promises';
import * as z from 'zod/mini';
import { awsKms } from './aws-kms.ts';
import { CannotStart, type ProviderEnvironment, reasonOf, type RootKeyProvider } from '@eaas/server/internal';
import type { KeyService } from './key-service.ts';
import { transit } from './transit.ts';

const services = { 'aws-kms': awsKms, transit } satisfies Record<string, KeyService>;
const longestFile = 16_384;
const contents = z.strictObject({
  provider: z.enum(['aws-kms', 'transit']),
  key: z.string(),
  ciphertext: z.string(),
});

/** The content of a wrapped file: the key service, its key, and the ciphertext of the root key. */
export type WrappedRootKey = z.infer<typeof contents>;

/** The root key in a file of `eaas root-key wrap`. Its key service decrypts it at each start. */
export function rootKeyInWrappedFile(
  variable: string,
  path: string,
  env: ProviderEnvironment,
): RootKeyProvider {
  const load = async (): Promise<Uint8Array> => {
    const { provider, ...wrapped } = await readWrappedFile(path);
    const rootKey = await services[provider].unwrap(wrapped, env);
    if (rootKey.length === 32) return rootKey;
    rootKey.fill(0);
    throw new CannotStart(
      `${services[provider].title} decrypted ${path}, but the result is not a root key of 32 bytes. ` +
        'Make the file with `eaas root-key wrap`.',
    );
  };
  return {
    wrappedFile: path,
    load: () =>
      load().catch((error: unknown) => {
        throw new CannotStart(`${variable}: ${reasonOf(error)}`);
      }),
  };
}

/** Encrypts the root key under a key of the service, as the content of a wrapped file. */
export async function wrapRootKey(
  provider: WrappedRootKey['provider'],
  key: string,
  rootKey: Uint8Array,
  env: ProviderEnvironment,
): Promise<WrappedRootKey> {
  return { provider, ...(await services[provider].wrap(key, rootKey, env)) };
}

async function readWrappedFile(path: string): Promise<WrappedRootKey> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new CannotStart(
      `the file ${path} cannot be read (${error.code}). Restore the file from your copy, or make it with \`eaas root-key wrap\`.`,
    );
  });
  try {
    const bytes = Buffer.alloc(longestFile);
    const { bytesRead } = await file.read(bytes);
    return contents.parse(JSON.parse(bytes.toString('utf8', 0, bytesRead)));
  } catch {
    // The error does not quote the file, because the file could contain an unencrypted root key by mistake.
    throw new CannotStart(
      `the file ${path} must be a file that \`eaas root-key wrap\` wrote. ` +
        'For a root key that is not encrypted, set the variable whose name does not contain WRAPPED.',
    );
  } finally {
    await file.close();
  }
}
