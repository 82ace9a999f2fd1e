// What a client costs until its first value, in a process of its own: the checkouts that `regress` compares each start theirs.
import { join } from 'node:path';
import { run } from '@eaas/test-kit/program';

const encrypting = `await client.encrypt('Ada', { context: { row: '1' } });`;
/** The service is in memory, but the client speaks HTTP with it. */
const overHttp = `
  const keyId = '00000000-0000-4000-8000-000000000002';
  const wrapped_key = btoa('\\x01'.repeat(78));
  const fetch = async () => Response.json({ key_id: keyId, key_version: 1, wrapped_key });
  const apiKey = 'eaas_sk_' + '0'.repeat(43) + '4C34ms';
  const client = new EaasClient({ baseUrl: 'https://eaas.example', apiKey, keyId, fetch });`;
const ofVariable = `
  const { createLocalService } = await import('@eaas/local');
  const client = new EaasClient({ service: createLocalService({ sealed: process.env.EAAS_LOCAL }) });`;

export const starts = {
  'import of the SDK': '',
  'first value of a new process': overHttp + encrypting,
  'first value with one variable': ofVariable + encrypting,
};

/** The CPU time of a new process that imports the SDK, and of what follows, in microseconds. */
export async function startOf(checkout: string, then: string): Promise<number> {
  const program = `
    const begin = process.cpuUsage();
    const { EaasClient } = await import('@eaas/sdk');
    ${then}
    const { user, system } = process.cpuUsage(begin);
    console.log(user + system);
    process.exit();`;
  const node = [process.execPath, '--input-type=module', '--eval', program];
  return Number(await printed(node, checkout, { EAAS_LOCAL: (await variableOf(checkout)) ?? '' }));
}

const variables = new Map<string, Promise<string | undefined>>();

function variableOf(checkout: string): Promise<string | undefined> {
  const command = [process.execPath, join(checkout, 'packages/local/bin/eaas-local.mjs'), 'new'];
  const made =
    variables.get(checkout) ?? printed(command, checkout).then((text) => /eaas_local_\S+/.exec(text)?.[0]);
  variables.set(checkout, made);
  return made;
}

async function printed(command: readonly string[], cwd: string, env = {}): Promise<string> {
  const { code, stdout, stderr } = await run(command, env, { cwd });
  if (code !== 0) throw new Error(`the process failed (${code}):\n${stderr}`);
  return stdout;
}
