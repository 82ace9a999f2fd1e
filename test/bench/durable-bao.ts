// OpenBao as an operator runs it: raft storage, a file audit device, and a token that may only use Transit.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@eaas/test-kit/free-port';
import { launch } from '@eaas/test-kit/program';
import type { Defer } from './compare.ts';

interface Answer {
  readonly keys_base64?: readonly string[];
  readonly root_token?: string;
  readonly auth?: { readonly client_token: string };
  readonly data?: { readonly ciphertext: string };
}

/** With Transit keys `k0`, `k1` and so on. */
export async function startDurableBao(program: string, directory: string, keys: number, defer: Defer) {
  const [port, cluster] = [await freePort(), await freePort()];
  const [raft, config] = [join(directory, 'raft'), join(directory, 'bao.hcl')];
  mkdirSync(raft);
  writeFileSync(
    config,
    `storage "raft" { path = "${raft}" node_id = "a" }
    listener "tcp" { address = "127.0.0.1:${port}" cluster_address = "127.0.0.1:${cluster}" tls_disable = 1 }
    api_addr = "http://127.0.0.1:${port}"
    cluster_addr = "https://127.0.0.1:${cluster}"
    unsafe_allow_api_audit_creation = true`,
  );
  const { child, stdout, stderr } = launch([program, 'server', `-config=${config}`, '-log-level=warn'], {});
  defer(() => child.kill());
  let token = '';
  const call = async (method: string, path: string, body: object): Promise<Answer> => {
    const headers = { 'content-type': 'application/json', 'x-vault-token': token };
    const init = { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`http://127.0.0.1:${port}/v1/${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} failed (${response.status}): ${text}`);
    return JSON.parse(text || '{}') as Answer;
  };
  const patiently = async (...args: Parameters<typeof call>): Promise<Answer> => {
    for (let left = 300; ; left--) {
      try {
        return await call(...args);
      } catch (error) {
        if (left === 0) throw new Error(`OpenBao did not start:\n${stdout()}${stderr()}`, { cause: error });
        await sleep(100);
      }
    }
  };
  const { keys_base64: unseal, root_token: root } = await patiently('POST', 'sys/init', {
    secret_shares: 1,
    secret_threshold: 1,
  });
  await call('POST', 'sys/unseal', { key: unseal?.[0] });
  token = root ?? '';
  await patiently('POST', 'sys/audit/file', {
    type: 'file',
    options: { file_path: join(directory, 'audit.log') },
  });
  await call('POST', 'sys/mounts/transit', { type: 'transit' });
  for (let nth = 0; nth < keys; nth++) await call('POST', `transit/keys/k${nth}`, { type: 'aes256-gcm96' });
  const policy = 'path "transit/*" { capabilities = ["create", "update"] }';
  await call('PUT', 'sys/policies/acl/app', { policy });
  const { auth } = await call('POST', 'auth/token/create', { policies: ['app'], no_default_policy: true });
  token = auth?.client_token ?? '';
  const { data } = await call('POST', 'transit/encrypt/k0', {
    plaintext: Buffer.alloc(32, 7).toString('base64'),
  });
  const headers = { 'x-vault-token': token };
  const request = (verb: 'encrypt' | 'decrypt' | 'hmac', body: object, nth = 0) => {
    return { path: `/v1/transit/${verb}/k${nth}`, body, headers };
  };
  return { port, request, ciphertext: data?.ciphertext ?? '' };
}
