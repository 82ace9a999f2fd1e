import { toUtf8 } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import type { Item, Output } from '@eaas/protocol/wire';
import { type Call, keyDraft, logged, refused } from './call.ts';
import { Refusal } from './refusal.ts';
import { refusedByStatus, requireStatus } from './require-key.ts';
import { sealedVersion, unwrapDek, wrapDek } from './sealed-dek.ts';
import { batch, single } from './single-and-batch.ts';
import { type Key, toHex, versionOf } from './tenant.ts';

function wrapItem({ tenant }: Call, key: Key, { dek, context }: Item<'POST /v1/batch/wrap'>) {
  requireStatus(key, 'active');
  const wrapped_key = toBase64(wrapDek(tenant, key, fromBase64(dek), context));
  return {
    draft: keyDraft('key.wrap', key, { context: logged(context) }),
    answer: { wrapped_key, key_id: key.key_id, key_version: versionOf(key) },
  };
}

function unwrapItem({ tenant }: Call, key: Key, input: Item<'POST /v1/batch/unwrap'>) {
  const { key_version: named, context } = input;
  const wrapped = fromBase64(input.wrapped_key);
  const claimed = sealedVersion(wrapped);
  const key_version = claimed ?? versionOf(key);
  const metadata = { key_version, context: logged(context) };
  const refuse = (refusal: Refusal) => ({
    draft: keyDraft('key.unwrap', key, { ...metadata, ...refused(refusal) }, key_version),
    answer: refusal,
  });
  const byStatus = refusedByStatus(key, 'active', 'disabled');
  if (byStatus) return refuse(byStatus);
  const expected = named === undefined || named === claimed;
  const dek = expected ? unwrapDek(tenant, key, wrapped, context) : undefined;
  if (!dek) return refuse(unauthentic());
  return {
    draft: keyDraft('key.unwrap', key, metadata, key_version),
    answer: { dek: toBase64(dek), key_id: key.key_id, key_version },
  };
}

function rewrapItem({ tenant }: Call, key: Key, { wrapped_key, context }: Item<'POST /v1/batch/rewrap'>) {
  requireStatus(key, 'active');
  const wrapped = fromBase64(wrapped_key);
  const from_version = sealedVersion(wrapped);
  const metadata = { from_version, context: logged(context) };
  const dek = unwrapDek(tenant, key, wrapped, context);
  if (!dek) {
    const refusal = unauthentic();
    return { draft: keyDraft('key.wrap', key, { ...metadata, ...refused(refusal) }), answer: refusal };
  }
  const key_version = versionOf(key);
  const rewrapped = from_version !== key_version;
  const newest = rewrapped ? toBase64(wrapDek(tenant, key, dek, context)) : wrapped_key;
  return {
    draft: keyDraft('key.wrap', key, metadata),
    answer: { wrapped_key: newest, key_id: key.key_id, key_version, rewrapped },
  };
}

function hashItem(_call: Call, key: Key, { value }: Item<'POST /v1/batch/hash'>) {
  requireStatus(key, 'active');
  const { key_id, hash_key } = key;
  if (!hash_key) throw new Error('an active key has its hash key');
  const answer = fingerprint(new Uint8Array(hash_key), value).then((hash) => ({ hash, key_id }));
  return { draft: null, answer };
}

async function fingerprint(hashKey: Uint8Array<ArrayBuffer>, value: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', hashKey, algorithm, false, ['sign']);
  return toHex(new Uint8Array(await crypto.subtle.sign('HMAC', key, toUtf8(value))));
}

function unauthentic(): Refusal {
  return new Refusal(
    'wrapped_key_unauthentic',
    'The wrapped_key is not one that this key wrapped with this context: check the key_id, the context, and that it was stored whole.',
  );
}

export const wrap = single<Item<'POST /v1/batch/wrap'>, Output<'POST /v1/keys/:key_id/wrap'>>(wrapItem);
export const unwrap = single<Item<'POST /v1/batch/unwrap'>, Output<'POST /v1/keys/:key_id/unwrap'>>(
  unwrapItem,
);
export const rewrap = single<Item<'POST /v1/batch/rewrap'>, Output<'POST /v1/keys/:key_id/rewrap'>>(
  rewrapItem,
);
export const hash = single<Item<'POST /v1/batch/hash'>, Output<'POST /v1/hash'>>(hashItem);

export const batchWrap = batch(wrapItem);
export const batchUnwrap = batch(unwrapItem);
export const batchRewrap = batch(rewrapItem);
export const batchHash = batch(hashItem);
