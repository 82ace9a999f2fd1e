import { isBase64 } from '@eaas/protocol/base64';
import { CannotStart } from './cannot-start.ts';
import { readRootKeyFile } from './embedded/root-key-file.ts';

/** Where a root key comes from. A KMS or an HSM is one more of these. */
export interface RootKeyProvider {
  /** The 32 bytes, which are the caller's to wipe. Throws CannotStart with a sentence that says what to do. */
  load(): Promise<Uint8Array>;
}

/** A root key that a variable holds in base64. Throws CannotStart, without the value, where it holds none. */
export function rootKeyInVariable(variable: string, text: string): RootKeyProvider {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32 || !isBase64(text)) {
    throw new CannotStart(
      `${variable} must be exactly 32 bytes in base64 (44 characters); \`eaas root-key generate\` makes one.`,
    );
  }
  return { load: () => Promise.resolve(Uint8Array.from(key)) };
}

/** A root key that a file holds in base64, as `eaas root-key generate --file` writes it. */
export function rootKeyInFile(variable: string, path: string): RootKeyProvider {
  return {
    async load() {
      const key = await readRootKeyFile(path).catch((error: unknown) => {
        throw new CannotStart(`${variable}: ${error instanceof Error ? error.message : String(error)}`);
      });
      if (key) return key;
      throw new CannotStart(
        `${variable}: there is no file ${path}. Restore it from where the key was saved; for a new database ` +
          `\`eaas root-key generate --file ${path}\` makes one.`,
      );
    },
  };
}
