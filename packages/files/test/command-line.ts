import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EaasClient } from '@eaas/sdk';
import { newDirectory } from '@eaas/test-kit/directory';
import { newTenant, target } from '@eaas/test-kit/fixture';
import { type Environment, run } from '@eaas/test-kit/program';
import { builtFilesProgram } from '@eaas/test-kit/built-program';

export const eaasFiles = (): string[] => [process.execPath, '--enable-source-maps', builtFilesProgram()];

/** How a command ends that succeeds and prints nothing. */
export const done = { code: 0, stdout: '', stderr: '' };

export type Account = Awaited<ReturnType<typeof newAccount>>;

export async function newAccount() {
  const tenant = await newTenant('--envelope-only', 'true');
  const { key_id: keyId } = await tenant.newKey({ exportable: true });
  const { record } = await tenant.issue();
  const { baseUrl } = await target();
  const env = { EAAS_BASE_URL: baseUrl, EAAS_API_KEY: record.api_key, EAAS_KEY_ID: keyId };
  const client = new EaasClient({ baseUrl, apiKey: record.api_key, keyId });
  return { tenant, keyId, env, client };
}

export type Place = Awaited<ReturnType<typeof newPlace>>;

export async function newPlace() {
  const path = await newDirectory();
  return {
    path,
    at: (name: string) => join(path, name),
    type: (lines: string, env: Environment) => {
      const shell = ['bash', '--norc', '-c', `set -o pipefail\n${lines}`];
      return run(shell, { ...env, PATH: `${programs()}:${process.env['PATH']}` }, { cwd: path });
    },
    list: async () => (await readdir(path, { recursive: true })).toSorted(),
  };
}

let folder: string | undefined;

function programs(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), 'eaas-test-path-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  const words = eaasFiles().map((word) => `'${word}'`);
  writeFileSync(join(made, 'eaas-files'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
  folder = made;
  return made;
}
