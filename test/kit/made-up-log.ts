import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  buildPrefixTree,
  cosignedMessage,
  entryLeaf,
  formatExtra,
  formatNoteKey,
  formatSignature,
  formatTlogProof,
  momentEntry,
  type NoteKey,
  noteKey,
  type PrefixTree,
  type TenantHead,
  treeHeadText,
} from '@eaas/protocol/internal-log';
import { finish } from './finish.ts';

export type MadeUpLog = ReturnType<typeof madeUpLog>;

interface Signing {
  /** The number of entries that the checkpoint has. By default all. */
  readonly size?: number;
  /** When each witness signed, in seconds since 1970. By default `north` and `south`, a second after the moment. */
  readonly signers?: Readonly<Record<string, number>>;
  /** Changes what the proof says about its moment. */
  readonly claims?: { readonly time?: number; readonly id?: number };
}

const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const split = (length: number): number => 2 ** Math.ceil(Math.log2(length) - 1);

/** MTH of RFC 6962, section 2.1. */
function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length <= 1) return leaves[0] ?? sha256();
  const k = split(leaves.length);
  return sha256(Buffer.of(1), rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

/** PATH of RFC 6962, section 2.1.1. */
function pathOf(index: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length <= 1) return [];
  const k = split(leaves.length);
  return index < k
    ? [...pathOf(index, leaves.slice(0, k)), rootOf(leaves.slice(k))]
    : [...pathOf(index - k, leaves.slice(k)), rootOf(leaves.slice(0, k))];
}

interface Signer {
  readonly key: NoteKey;
  readonly secret: KeyObject;
}

function signer(name: string, type: number): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url');
  return { key: noteKey(name, type, Uint8Array.from(raw)), secret: privateKey };
}

const witnessNames = ['north', 'south', 'east'];

/** Who signs a made-up log. Two logs with the same signers are one log with two histories. */
export const signersOf = (origin = 'eaas.example/log') => ({
  own: signer(origin, 1),
  witnesses: new Map(witnessNames.map((name) => [name, signer(`${name}.example`, 4)])),
});

/** A public log with witnesses, in memory. Nothing in it keeps a test from lying. */
export function madeUpLog({ own, witnesses } = signersOf()) {
  const origin = own.key.name;
  const moments: {
    time: number;
    heads: readonly TenantHead[];
    leaf: Uint8Array;
    tree: PrefixTree;
  }[] = [];
  const leaves = (size: number) => moments.slice(0, size).map(({ leaf }) => leaf);
  const lines = [...witnesses].map(([name, { key }]) => `witness ${name} ${formatNoteKey(key)}`);
  return {
    /** Two of the three witnesses must have signed. */
    policy: `log ${formatNoteKey(own.key)}\n${lines.join('\n')}\ngroup most 2 ${witnessNames.join(' ')}\nquorum most\n`,
    /** Adds a moment with these heads, and returns its number. */
    moment(heads: readonly TenantHead[], time: number) {
      const tree = finish(buildPrefixTree(heads));
      return moments.push({ time, heads, tree, leaf: entryLeaf(momentEntry(time, tree.root)) }) - 1;
    },
    /** Proves the head of a tenant in a moment. */
    prove(tenantId: string, index: number, { size = moments.length, signers, claims }: Signing = {}) {
      const { time, heads, tree } = moments[index] as (typeof moments)[number];
      const head = heads.find((each) => each.tenantId === tenantId) as TenantHead;
      const treeHead = { origin, size, root: rootOf(leaves(size)) };
      const text = treeHeadText(treeHead);
      const after = Math.ceil(time / 1_000) + 1;
      const signatures = [
        formatSignature({ ...own.key, bytes: Uint8Array.from(sign(null, Buffer.from(text), own.secret)) }),
        ...Object.entries(signers ?? { north: after, south: after }).map(([name, at]) => {
          const { key, secret } = witnesses.get(name) as Signer;
          const bytes = Buffer.alloc(72);
          bytes.writeBigUInt64BE(BigInt(at));
          sign(null, cosignedMessage(key, at, treeHead), secret).copy(bytes, 8);
          return formatSignature({ ...key, bytes: Uint8Array.from(bytes) });
        }),
      ];
      const path = tree.pathOf(tenantId) ?? [];
      return formatTlogProof({
        extra: formatExtra({ ...head, time, path, ...claims }),
        index,
        path: pathOf(index, leaves(size)),
        checkpoint: `${text}\n${signatures.join('')}`,
      });
    },
  };
}
