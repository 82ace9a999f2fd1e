import { toUtf8 } from '@eaas/protocol';
import { fromBase64, isBase64, toBase64 } from '@eaas/protocol/base64';
import type { Output } from '@eaas/protocol/wire';
import { type Call, hashOf } from './call.ts';
import { type Tenant, toHex } from './tenant.ts';

/** A head of the chain: how many entries it has, and the hash of the last. */
interface Head {
  readonly id: number;
  readonly hash: Uint8Array;
}

interface Signer {
  readonly name: string;
  /** Four bytes by which a signed note tells keys apart. */
  readonly keyId: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly pair: CryptoKeyPair;
}

const ed25519 = Uint8Array.of(1); // its number among the signature types of signed-note

/** GET /v1/audit/checkpoint: a C2SP signed note (https://c2sp.org/signed-note) of where the chain stands. */
export async function getCheckpoint({ tenant }: Call): Promise<Output<'GET /v1/audit/checkpoint'>> {
  const id = tenant.log.length;
  const hash = hashOf(tenant, id);
  const { name, keyId, publicKey, pair } = await signerOf(tenant);
  const text = `${originOf(tenant)}\n${id}\n${toBase64(hash)}\n`;
  const signature = new Uint8Array(await crypto.subtle.sign('Ed25519', pair.privateKey, toUtf8(text)));
  return {
    checkpoint: `${text}\n\u2014 ${name} ${toBase64(concat(keyId, signature))}\n`,
    verifier_key: `${name}+${toHex(keyId)}+${toBase64(concat(ed25519, publicKey))}`,
    tenant_id: tenant.tenant_id,
    id,
    hash: toHex(hash),
  };
}

/** The head that a checkpoint states, or undefined unless this service signed it, once; others may have too. */
export async function openCheckpoint(tenant: Tenant, checkpoint: string): Promise<Head | undefined> {
  const [text, rest, ...more] = checkpoint.split('\n\n');
  if (text === undefined || !rest?.endsWith('\n') || more.length > 0) return undefined;
  const { name, keyId, pair } = await signerOf(tenant);
  const signatures = rest.slice(0, -1).split('\n').map(readSignature);
  const ours = signatures.filter((each) => each?.name === name && each.keyId === toHex(keyId));
  const [own] = ours;
  if (!own || ours.length > 1 || signatures.includes(undefined)) return undefined;
  const holds = await crypto.subtle.verify('Ed25519', pair.publicKey, own.signature, toUtf8(`${text}\n`));
  return holds ? readHead(text, tenant) : undefined;
}

async function signerOf(tenant: Tenant): Promise<Signer> {
  tenant.signer ??= crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const pair = await tenant.signer;
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
  const name = `eaas/${tenant.tenant_id}`;
  const named = concat(toUtf8(`${name}\n`), ed25519, publicKey);
  const keyId = new Uint8Array(await crypto.subtle.digest('SHA-256', named)).slice(0, 4);
  return { name, keyId, publicKey, pair };
}

function readSignature(line: string) {
  const [, name, encoded] = /^\u2014 ([^\s+]+) (\S+)$/u.exec(line) ?? [];
  if (name === undefined || encoded === undefined || !isBase64(encoded)) return undefined;
  const bytes = fromBase64(encoded);
  return { name, keyId: toHex(bytes.subarray(0, 4)), signature: bytes.subarray(4) };
}

function readHead(text: string, tenant: Tenant): Head | undefined {
  const [first, id = '', encoded = '', ...more] = text.split('\n');
  if (first !== originOf(tenant) || more.length > 0) return undefined;
  if (!/^(0|[1-9]\d*)$/.test(id) || !isBase64(encoded)) return undefined;
  return { id: Number(id), hash: fromBase64(encoded) };
}

function originOf({ tenant_id }: Tenant): string {
  return `eaas.audit-chain.v1/${tenant_id}`;
}

function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)));
}
