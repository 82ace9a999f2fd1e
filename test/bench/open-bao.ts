import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch } from '@eaas/test-kit/program';
import { freePort } from '@eaas/test-kit/free-port';
import type { Defer } from './compare.ts';

type Json = Record<string, unknown>;

export async function startOpenBao(command: string, defer: Defer) {
  const directory = await mkdtemp(join(tmpdir(), 'openbao-'));
  defer(() => rm(directory, { recursive: true, force: true }));
  const [port, clusterPort] = [await freePort(), await freePort()];
  const configuration = join(directory, 'bao.hcl');
  await mkdir(join(directory, 'raft'));
  await writeFile(
    configuration,
    `storage "raft" { path = "${join(directory, 'raft')}" node_id = "a" }
listener "tcp" { address = "127.0.0.1:${port}" cluster_address = "127.0.0.1:${clusterPort}" tls_disable = 1 }
api_addr = "http://127.0.0.1:${port}"
cluster_addr = "https://127.0.0.1:${clusterPort}"
unsafe_allow_api_audit_creation = true
`,
  );
  const { child, stdout, stderr } = launch(
    [command, 'server', `-config=${configuration}`, '-log-level=warn'],
    {},
  );
  defer(() => child.kill());
  const post = async (path: string, body: object, token = ''): Promise<Json> => {
    const headers = { 'content-type': 'application/json', ...(token && { 'x-vault-token': token }) };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`http://127.0.0.1:${port}/v1/${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} failed (${response.status}): ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Json;
  };
  const postWhenReady: typeof post = async (...call) => {
    for (const deadline = Date.now() + 30_000; ; await sleep(100)) {
      try {
        return await post(...call);
      } catch (error) {
        if (Date.now() > deadline)
          throw new Error(`OpenBao did not start:\n${stdout()}${stderr()}`, { cause: error });
      }
    }
  };
  const { keys_base64, root_token } = await postWhenReady('sys/init', {
    secret_shares: 1,
    secret_threshold: 1,
  });
  const root = String(root_token);
  await post('sys/unseal', { key: (keys_base64 as string[])[0] });
  await postWhenReady(
    'sys/audit/file',
    { type: 'file', options: { file_path: join(directory, 'audit.log') } },
    root,
  );
  await post('sys/mounts/transit', { type: 'transit' }, root);
  await post('transit/keys/k', { type: 'aes256-gcm96' }, root);
  const policy = 'path "transit/*" { capabilities = ["create","update"] }';
  await post('sys/policies/acl/bench', { policy }, root);
  const { auth } = await post('auth/token/create', { policies: ['bench'], no_default_policy: true }, root);
  const token = String((auth as Json)['client_token']);
  return {
    port,
    headers: { 'X-Vault-Token': token },
    call: (path: string, body: object) => post(path, body, token),
  };
}
