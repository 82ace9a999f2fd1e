// `lock` with a key file: gives the file another lock, and asks at the terminal for passphrases that no variable has.
import { lockKeyFile } from './internal.ts';

/** Locks the file, and returns what to print. */
export async function lockFile(path: string, isJson: boolean): Promise<string> {
  const { tenantId, before, after } = await lockKeyFile(path);
  if (isJson) return `${JSON.stringify({ tenant_id: tenantId, lock_before: before, lock: after })}\n`;
  process.stderr.write(
    'Copies of the old file still open as before: replace them by copies of the new one. Next: start the app with ' +
      `EAAS_LOCAL_${after === 'key' ? 'KEY_COMMAND' : 'PASSPHRASE'}, and then delete the old copies.\n`,
  );
  return `tenant ${tenantId}\nlock ${after} (before: ${before})\n`;
}
