// Builds a link of the audit chain: entries after a head, the rows and counts that commit with them, and the head after them.
import { pool } from '@eaas/protocol/internal';
import { entryHashes, entryMacs, fromLatin1, latin1ToHex, toLatin1 } from '#platform';
import type { TenantSecrets } from '../crypto/tenant-secrets.ts';
import type { Draft } from '../rules/draft.ts';
import { beginsBlock, blocksOf } from './blocks.ts';
import type { Author, Receipts } from './decision.ts';
import { masked, rowInSum, macHead, withMac } from './row-macs.ts';
import type { Link, Run, SealedWrite } from './store.ts';
import { type Ref, refOf, type Table, type Write } from './table.ts';
import type { HeadRow } from './tables.ts';

/** The most that one link has. A single decision can have more. */
const linkLimits = { entries: 2_000, bytes: 512 * 1024 } as const;

/** Draws a salt or a nonce. */
const draw = /* @__PURE__ */ pool(16);

export type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
type Tally = Writable<Link['tallies'][number]>;

/**
 * Begins a link after the head `expected`. Entries that differ only in their ids form a run, which is stored as one. `known`: blocks
 * that are stored.
 */
export function beginLink(
  secrets: TenantSecrets,
  tables: ReadonlyMap<string, Table<never>>,
  expected: HeadRow,
  created_at: number,
  sumBefore: bigint,
  known: ReadonlySet<string> = new Set(),
) {
  const { tenant_id } = expected;
  const chain = entryHashes();
  /** With one character per byte, as they are chained. */
  const hashes: string[] = [];
  const salts: string[] = [];
  const runs: Writable<Run>[] = [];
  const blocks = new Set<string>();
  const tallies = new Map<string, Tally>();
  const writes = new Map<Ref, SealedWrite>();
  let last: { readonly run: Writable<Run>; readonly tally: Tally } | undefined;
  let hash = toLatin1(expected.hash);
  let sum = sumBefore;
  let bytes = 0;

  /** Begins a run of entries at the next one. */
  const begin = ({ actor, ipAddress }: Author, { action, key_id, key_version, metadata }: Draft) => {
    const at = hashes.length + 1;
    const run = { first: at, last: at, action, key_id, key_version, actor, ip_address: ipAddress, metadata };
    const name = `${action} ${key_id} ${key_version}`;
    const tally = tallies.get(name) ?? { key_id, key_version, action, n: 0, refused: 0 };
    runs.push(run);
    tallies.set(name, tally);
    bytes += 256 + metadata.length;
    return { run, tally };
  };

  const link = {
    /** The rows as this link leaves them. */
    writes,
    get size(): number {
      return hashes.length;
    },
    isFull: (): boolean => hashes.length >= linkLimits.entries || bytes >= linkLimits.bytes,
    get nextId(): number {
      return expected.id + hashes.length + 1;
    },
    get sum(): bigint {
      return sum;
    },
    add(author: Author, draft: Draft): void {
      const id = link.nextId;
      const salt = toLatin1(draw());
      if (last && continues(last.run, author, draft)) hash = chain.next(hash, id, salt);
      else {
        last = begin(author, draft);
        hash = chain.first(hash, { tenant_id, id, ...last.run, created_at, salt: fromLatin1(salt) });
      }
      const { action, actor, first } = last.run;
      // Of a run, only its first entry and those that begin a block can name blocks that none before has named.
      if (first > hashes.length || beginsBlock(id)) {
        for (const name of blocksOf(id, action, actor)) if (!known.has(name)) blocks.add(name);
      }
      salts.push(salt);
      last.run.last = hashes.push(hash);
      last.tally[draft.isRefused ? 'refused' : 'n']++;
    },
    /** Writes a row in place of `before`. */
    write(write: Write, before: object | null): void {
      const table = tables.get(write.table.name);
      if (!table) throw new Error(`no plugin has the table ${write.table.name}`);
      const row = write.row as never;
      sum += rowInSum(secrets, table, row);
      if (before) sum -= rowInSum(secrets, table, before);
      const rev = table.record?.revOf(row) ?? null;
      const record = table.record && rev !== null ? { row_id: table.record.nameOf(row), rev } : null;
      const ref = refOf(table, row);
      const earlier = writes.get(ref);
      writes.set(ref, {
        ...write,
        row: withMac(secrets, table, row),
        record,
        before: earlier ? (earlier.before ?? null) : before,
      });
      bytes += 512;
    },
    receipts(from: number, count: number): Receipts {
      let hex: string | undefined;
      const hashAt = (nth: number): string => {
        hex ??= latin1ToHex(hashes.slice(from, from + count).join(''));
        return hex.slice(64 * nth, 64 * nth + 64);
      };
      return {
        count,
        of: (nth) => ({ id: expected.id + from + nth + 1, hash: hashAt(nth) }),
        hashOf: (nth) => fromLatin1(hashes[from + nth] ?? ''),
      };
    },
    complete({ month, encrypts }: Pick<HeadRow, 'month' | 'encrypts'>, now: number): Link {
      const end = { id: expected.id + hashes.length, hash: fromLatin1(hash), nonce: draw().slice() };
      const about = { created_at, month, encrypts, sum: masked(secrets, end, sum) };
      const next = macHead(secrets, { tenant_id, ...end, ...about });
      const macs = entryMacs(secrets.auditMac, hashes);
      const seals = fromLatin1(hashes.map((each, index) => `${each}${macs[index]}${salts[index]}`).join(''));
      const all = {
        runs,
        seals,
        writes: [...writes.values()],
        tallies: [...tallies.values()],
        blocks: [...blocks],
      };
      return { expected: { id: expected.id, mac: expected.mac }, next, ...all, now };
    },
  };
  return link;
}

export type NewLink = ReturnType<typeof beginLink>;

function continues(run: Run, { actor, ipAddress }: Author, draft: Draft): boolean {
  return (
    run.metadata === draft.metadata &&
    run.key_id === draft.key_id &&
    run.key_version === draft.key_version &&
    run.action === draft.action &&
    run.actor === actor &&
    run.ip_address === ipAddress
  );
}
