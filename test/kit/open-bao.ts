import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';
import { launch } from './program.ts';

/** Starts the OpenBao program in its development mode until the test ends. `root` is its token for everything. */
export async function startOpenBao(command: string) {
  const [address, root] = [`127.0.0.1:${await freePort()}`, randomUUID()];
  const options = [`-dev-root-token-id=${root}`, `-dev-listen-address=${address}`, '-dev-no-store-token'];
  const { child, stderr } = launch([command, 'server', '-dev', ...options], {});
  onTestFinished(() => void child.kill());
  const call = async (path: string, body: object): Promise<Record<string, Record<string, string>>> => {
    const headers = { 'x-vault-token': root };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`http://${address}/v1/${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} failed (${response.status}): ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Record<string, Record<string, string>>;
  };
  for (const deadline = Date.now() + 120_000; ; await sleep(100)) {
    const health = await fetch(`http://${address}/v1/sys/health`).catch(() => undefined);
    if (health?.ok) return { url: `http://${address}`, root, call };
    if (Date.now() > deadline) throw new Error(`OpenBao did not start:\n${stderr()}`);
  }
}
