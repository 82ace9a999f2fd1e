import { call } from '@eaas/test-kit/faults/client';
import { newKey, type Replica } from '@eaas/test-kit/faults/place';
import { dek } from '@eaas/test-kit/world';
import { postRequest } from './burst.ts';

export interface Customer {
  readonly headers: { readonly Authorization: string };
  readonly path: string;
  readonly key_id: string;
  readonly wrapped_key: string;
}

const plaintext = 'x'.repeat(1_024);

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
  type Wrapped = { readonly wrapped_key: string };
  const { wrapped_key } = await call<Wrapped>(replica, token, 'POST', `${path}/wrap`, { dek });
  return { headers: { Authorization: `Bearer ${token}` }, path, key_id, wrapped_key };
}
