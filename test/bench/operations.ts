import { call } from '@eaas/test-kit/faults/client';
import { newKey, type Operator, type Replica } from '@eaas/test-kit/faults/place';

import { dek } from '@eaas/test-kit/world';
import { getRequest, postRequest } from './burst.ts';

export interface Operation {
  readonly name: string;
  readonly size: number;
  readonly requests: number;
  readonly texts: readonly (string | (() => string))[];
  readonly connections: number;
}

export interface Customer {
  readonly headers: { readonly Authorization: string };
  readonly path: string;
  readonly key_id: string;
  readonly wrapped_key: string;
  readonly bundle: object;
}

const concurrentCalls = 32;
const plaintext = 'x'.repeat(1_024);

/** One append to the audit log can record several concurrent calls, but only calls of the same tenant. */
export async function operationsOf(operator: Operator, replica: Replica): Promise<Operation[]> {
  const customers = await newCustomers(operator, replica, concurrentCalls);
  const shared = (
    name: string,
    requests: number,
    textOf: (one: Customer) => string,
    size = 1,
  ): Operation => ({
    name,
    size,
    requests,
    connections: size === 1 ? concurrentCalls : 4,
    texts: customers.slice(0, 1).map(textOf),
  });
  const alone = (name: string, requests: number, textOf: (one: Customer) => string): Operation => ({
    name,
    size: 1,
    requests,
    connections: 1,
    texts: customers.map(textOf),
  });
  const batch = (verb: 'wrap' | 'unwrap', size: number): Operation => {
    const textOf = (one: Customer): string => batchRequest(verb, one, size);
    return shared(`${verb}, an item of a batch of ${size}`, Math.round(800 / size), textOf, size);
  };
  const decrypt = ({ headers, bundle }: Customer) => postRequest('/v1/decrypt', headers, bundle);
  return [
    alone('wrap, appended alone', 192, wrapOf),
    alone('unwrap, appended alone', 192, unwrapOf),
    shared('wrap, 32 calls of one tenant', 480, wrapOf),
    shared('unwrap, 32 calls of one tenant', 480, unwrapOf),
    batch('wrap', 10),
    batch('wrap', 100),
    batch('unwrap', 10),
    batch('unwrap', 100),
    alone('encrypt 1 KiB, appended alone', 192, encryptOf),
    alone('decrypt 1 KiB, appended alone', 192, decrypt),
    alone('hash', 320, hashOf),
    alone('read of a key', 192, ({ headers, path }) => getRequest(path, headers)),
    alone('page of 50 audit entries', 64, ({ headers }) => getRequest('/v1/audit?limit=50', headers)),
  ];
}

export function wrapOf({ headers, path }: Customer): string {
  return postRequest(`${path}/wrap`, headers, { dek });
}

export function unwrapOf({ headers, path, wrapped_key }: Customer): string {
  return postRequest(`${path}/unwrap`, headers, { wrapped_key });
}

export function encryptOf({ headers, key_id }: Customer): string {
  return postRequest('/v1/encrypt', headers, { key_id, plaintext });
}

export function hashOf({ headers, key_id }: Customer): string {
  return postRequest('/v1/hash', headers, { key_id, value: 'x' });
}

export function batchRequest(
  verb: 'wrap' | 'unwrap',
  { headers, key_id, wrapped_key }: Customer,
  size: number,
): string {
  const item = verb === 'wrap' ? { key_id, dek } : { key_id, wrapped_key };
  return postRequest(`/v1/batch/${verb}`, headers, { items: Array.from({ length: size }, () => item) });
}

interface NewTenants {
  readonly newTenant: () => Promise<{ readonly token: string }>;
}

export async function newCustomers(
  operator: NewTenants,
  replica: Replica,
  count: number,
): Promise<readonly Customer[]> {
  const customers: Customer[] = [];
  while (customers.length < count) customers.push(await newCustomer(operator, replica));
  return customers;
}

async function newCustomer({ newTenant }: NewTenants, replica: Replica): Promise<Customer> {
  const { token } = await newTenant();
  const key_id = await newKey(replica, token);
  const path = `/v1/keys/${key_id}`;
  const post = <T>(to: string, body: object): Promise<T> => call<T>(replica, token, 'POST', to, body);
  const { wrapped_key } = await post<{ wrapped_key: string }>(`${path}/wrap`, { dek });
  const { ciphertext, key_version } = await post<{ ciphertext: string; key_version: number }>('/v1/encrypt', {
    key_id,
    plaintext,
  });
  const bundle = { ciphertext, key_id, key_version };
  return { headers: { Authorization: `Bearer ${token}` }, path, key_id, wrapped_key, bundle };
}
