import { run } from '@eaas/test-kit/program';

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

/** How many milliseconds a new process takes to import the SDK and to encrypt one value, with a service in memory. */
export async function firstValueOf(checkout: string): Promise<number> {
  const node = [process.execPath, '--input-type=module', '--eval', program];
  const { code, stdout, stderr } = await run(node, {}, { cwd: checkout });
  if (code !== 0) throw new Error(`the process failed (${code}):\n${stderr}`);
  return Number(stdout);
}
