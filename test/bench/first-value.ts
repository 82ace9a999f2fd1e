import { type Environment, run } from '@eaas/test-kit/program';

const program = `
  const begin = performance.now();
  const { EaasClient } = await import('@eaas/sdk');
  const keyId = '00000000-0000-4000-8000-000000000002';
  const wrapped_key = btoa('\\x01'.repeat(78));
  const fetch = async () => Response.json({ key_id: keyId, key_version: 1, wrapped_key });
  const client = new EaasClient({
    baseUrl: 'https://eaas.example',
    apiKey: 'eaas_sk_' + '0'.repeat(43) + '4C34ms',
    keyId,
    fetch,
  });
  await client.encrypt('Ada', { context: { row: '1' } });
  console.log(performance.now() - begin);
  await client.close?.();`;

const withVariable = `
  const { EaasClient } = await import('@eaas/sdk');
  const { localService } = await import('@eaas/local');
  const begin = performance.now();
  const client = new EaasClient({ service: localService({ sealed: process.env.EAAS_LOCAL }) });
  await client.encrypt('Ada', { context: { row: '1' } });
  console.log(performance.now() - begin);`;

/** How many milliseconds a new process takes to import the SDK and to encrypt one value, with a service in memory. */
export const firstValueOf = (checkout: string): Promise<number> => printedBy(program, checkout);

/** The same after the import, with the keys of a local service in a variable. */
export const firstValueIn = (checkout: string, sealed: string): Promise<number> =>
  printedBy(withVariable, checkout, { EAAS_LOCAL: sealed });

async function printedBy(text: string, cwd: string, env: Environment = {}): Promise<number> {
  const { code, stdout, stderr } = await run([process.execPath, '--input-type=module', '--eval', text], env, {
    cwd,
  });
  if (code !== 0) throw new Error(`the process failed (${code}):\n${stderr}`);
  return Number(stdout);
}
