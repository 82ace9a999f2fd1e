import { randomBytes, randomUUID } from 'node:crypto';
import type { Output, Permission } from '@eaas/protocol/wire';
import { expect, inject } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, client, type Client } from './api.ts';
import { closing } from './closing.ts';
import { requireNone } from './contradictions.ts';
import './matchers.ts';
import { requested } from './on-demand.ts';
import type { Finished } from './program.ts';
import type { Target } from './server-under-test.ts';

export type KeyRecord = Output<'POST /v1/keys'>;
export type AuditEntry = Output<'GET /v1/audit'>['logs'][number];
export type IssuedApiKey = Output<'POST /v1/api-keys'>;

export interface TenantRecord {
  readonly tenant_id: string;
  readonly name: string;
  readonly envelope_only: boolean;
  readonly monthly_encrypt_quota: number | null;
}

export type Tenant = Awaited<ReturnType<typeof newTenant>>;

export const allPermissions: readonly Permission[] = [
  'encrypt',
  'decrypt',
  'keys.read',
  'keys.manage',
  'keys.destroy',
  'keys.export',
  'audit.read',
  'api_keys.manage',
  'usage.read',
];

let known: Promise<Target> | undefined;

/** What stands in for a server: the file that plays it answers the requests to `baseUrl`. */
export interface Played {
  readonly baseUrl: string;
  run(args: readonly string[]): Promise<Finished>;
}
let played: Played | undefined;

/** Has the tests that follow in this worker meet what is played, until it is undefined again. */
export const playOn = (instead: Played | undefined): void => {
  played = instead;
};

export function target(): Promise<Target> {
  if (played) return Promise.resolve({ baseUrl: played.baseUrl, command: [], env: {} });
  known ??= requested<Target>(inject('target'));
  return known;
}

export async function commandLine(...args: string[]): Promise<Finished> {
  if (played) return played.run(args);
  const { command, env } = await target();
  const { run } = await import('./program.ts');
  return run([...command, ...args], env);
}

async function commandJson<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await commandLine(...args, '--json');
  if (code !== 0) throw new Error(`eaas ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return JSON.parse(stdout) as T;
}

export async function clientOf(token?: string, headers?: Record<string, string>): Promise<Client> {
  return client((await target()).baseUrl, token, headers);
}

export async function newTenant(...options: string[]) {
  const mode = options.includes('--envelope-only') ? [] : ['--envelope-only', 'false'];
  const name = uniqueName('tenant');
  const record = await commandJson<TenantRecord>('tenant', 'create', '--name', name, ...mode, ...options);
  const { tenant_id } = record;
  const holder = ['--tenant', tenant_id, '--name', 'everything', '--permissions', 'all'];
  const first = await commandJson<IssuedApiKey>('api-key', 'create', ...holder);
  const api = await clientOf(first.api_key);
  const entries = async (query = 'limit=100') => ok(await api.get(`/v1/audit?${query}`)).logs;
  // What plays a server walks along all its logs itself.
  if (!played) {
    await closing(api, async () => {
      const { status, body } = await api.get('/v1/audit/verify');
      if (status === 200) requireNone(tenant_id, body);
    });
  }
  return {
    ...record,
    api,
    apiKeyId: first.api_key_id,
    entries,
    newKey: async (fields?: Record<string, unknown>) =>
      ok(await api.post('/v1/keys', { name: uniqueName('key'), ...fields })),
    issue: async (fields?: Record<string, unknown>) => {
      const defaults = { name: uniqueName('api key'), permissions: allPermissions };
      const issued = ok(await api.post('/v1/api-keys', { ...defaults, ...fields }));
      return { record: issued, api: await clientOf(issued.api_key) };
    },
    auditTotal: async () => ok(await api.get('/v1/audit?limit=1')).total ?? 0,
    set: (...changes: string[]) => commandJson<TenantRecord>('tenant', 'set', tenant_id, ...changes),
  };
}

/**
 * Returns a client whose API key has expired. The service refuses to create an API key whose expiry has passed. On a
 * slow machine, the expiry can pass before the service reads the request. The function then tries a later expiry.
 */
export async function expiredClient(tenant: Tenant): Promise<Client> {
  for (let lifetime = 1_000; ; lifetime *= 2) {
    const expiresAt = Date.now() + lifetime;
    const expires_at = new Date(expiresAt).toISOString();
    const fields = { name: uniqueName('api key'), permissions: allPermissions, expires_at };
    const answer = await tenant.api.post('/v1/api-keys', fields);
    if (answer.status !== 201 && Date.now() > expiresAt) continue;
    const { api_key } = ok(answer);
    await sleep(expiresAt - Date.now() + 100);
    return clientOf(api_key);
  }
}

export function ok<Body>(answer: Answer<Body>): Body {
  if (answer.status >= 300) {
    throw new Error(`expected a successful response, got ${answer.status} ${answer.text}`);
  }
  return answer.body;
}

export function recordOf(issued: IssuedApiKey): Omit<IssuedApiKey, 'api_key'> {
  const { api_key: _, ...record } = issued;
  return record;
}

export async function newestEntry(tenant: Tenant): Promise<AuditEntry> {
  return only(await tenant.entries('limit=1'));
}

export function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (items.length !== 1 || item === undefined) {
    throw new Error(`expected exactly one item in the list (got ${items.length})`);
  }
  return item;
}

export function newDek(): string {
  return randomBytes(32).toString('base64');
}

export async function wrapped(api: Client, keyId: string, context?: object): Promise<string> {
  const answer = await api.post(`/v1/keys/${keyId}/wrap`, { dek: newDek(), ...(context && { context }) });
  return ok(answer).wrapped_key;
}

export async function keyIn(
  tenant: Tenant,
  status: KeyRecord['status'],
  fields?: Record<string, unknown>,
): Promise<KeyRecord> {
  const { key_id } = await tenant.newKey(fields);
  await bring(tenant.api, key_id, status);
  return ok(await tenant.api.get(`/v1/keys/${key_id}`));
}

export async function bring(api: Client, keyId: string, status: KeyRecord['status']): Promise<void> {
  if (status === 'active') return;
  ok(await api.post(`/v1/keys/${keyId}/disable`));
  if (status === 'disabled') return;
  ok(await api.delete(`/v1/keys/${keyId}?grace_days=${status === 'destroyed' ? 0 : 30}`));
}

export function uniqueName(what: string): string {
  return `${what} ${randomUUID()}`;
}

export function unknownId(): string {
  return randomUUID();
}

export async function expectNothingRecorded(tenant: Tenant, work: () => Promise<unknown>): Promise<void> {
  const before = await tenant.auditTotal();
  await work();
  expect(await tenant.auditTotal()).toBe(before);
}
