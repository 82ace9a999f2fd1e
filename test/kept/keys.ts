// Keys without a server, in each form in which users keep them, and what they have encrypted and indexed.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalService, type LocalServiceOptions } from '@eaas/local';
import { EaasClient } from '@eaas/sdk';
import { defineFields } from '@eaas/sdk/fields';
import { vi } from 'vitest';
import { kmsOfEnvironment } from '../../packages/local/src/file-opener.ts';
import { formatSealed, newSealed } from '../../packages/local/src/sealed.ts';
import { columns, people } from './definition.ts';

export interface KeptKeys {
  /** The text of the key file, if the keys are in one. */
  readonly file?: string;
  /** What a program prints, that opens the lock. */
  readonly printed?: string;
  readonly passphrase?: string;
  readonly sealed?: string;
  /** Whether a key service has locked this text. It is one that changes nothing. */
  readonly locked?: true;
  readonly secret?: readonly string[];
  readonly ciphertexts: readonly string[];
  /** The fingerprint of the name of the first person. */
  readonly fingerprint: string;
}

const folder = mkdtempSync(join(tmpdir(), 'eaas-kept-'));
const [{ name }] = people;

/** Sets the variables for keys until the test ends, and returns the options with which a service opens them. */
function optionsOf(kept: Partial<KeptKeys>): LocalServiceOptions {
  const { file, printed, passphrase, sealed, locked, secret } = kept;
  const program = join(folder, 'program.sh');
  writeFileSync(program, printed === undefined ? '#!/bin/sh\ncat\n' : `#!/bin/sh\necho ${printed}\n`);
  chmodSync(program, 0o700);
  vi.stubEnv('EAAS_LOCAL_PASSPHRASE', passphrase);
  vi.stubEnv('EAAS_LOCAL_KEY_COMMAND', printed && program);
  vi.stubEnv('EAAS_LOCAL_KMS_COMMAND', program);
  if (sealed !== undefined) return { sealed, ...(locked && { open: (bytes) => bytes }) };
  if (secret !== undefined) return { secret };
  return { file: fileOf(file), create: file === undefined };
}

/** The path of a new key file, or of one with this text. */
export function fileOf(text?: string): string {
  const path = join(folder, `${randomBytes(8).toString('hex')}.json`);
  if (text !== undefined) writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** What a client of these keys makes, each time under one more version of the key if there is a file. */
export async function keepKeys(): Promise<Record<string, KeptKeys>> {
  optionsOf({});
  const secret = [1, 2].map(() => randomBytes(32).toString('hex'));
  const forms: Record<string, Partial<KeptKeys>> = {
    'a file': {},
    'a file that a passphrase locks': { passphrase: 'Gru\u0308\u00DFe an \uFB01sh' },
    'a file that a program locks': { printed: randomBytes(32).toString('base64') },
    'a variable': { sealed: formatSealed(newSealed(Date.now())) },
    'a variable that a key service locks': {
      sealed: formatSealed(newSealed(Date.now(), kmsOfEnvironment())),
      locked: true,
    },
    'secrets of the app': { secret },
  };
  const kept: Record<string, KeptKeys> = {};
  for (const [form, given] of Object.entries(forms)) {
    const options = optionsOf(given);
    const service = createLocalService(options);
    const client = new EaasClient({ service });
    const ciphertexts = [await client.encrypt(name, { context: { form } })];
    if (options.file) {
      await client.keys.rotate(service.keyId, {});
      ciphertexts.push(await new EaasClient({ service }).encrypt(name, { context: { form } }));
    }
    const file = options.file && { file: readFileSync(options.file, 'utf8') };
    kept[form] = { ...given, ...file, ciphertexts, fingerprint: await fingerprintOf(client) };
  }
  return kept;
}

/** Opens what keys have encrypted. */
export async function openKeys(form: string, kept: KeptKeys) {
  const client = new EaasClient({ service: createLocalService(optionsOf(kept)) });
  const texts = kept.ciphertexts.map((each) => client.decrypt(each, { context: { form }, as: 'text' }));
  return { texts: await Promise.all(texts), fingerprint: await fingerprintOf(client) };
}

async function fingerprintOf(client: EaasClient): Promise<string> {
  const records = defineFields({ people: { name: columns.name } }).for(client, { index: 'service' });
  const { name_index: fingerprint } = await records.where('people', { name });
  return String(fingerprint);
}
