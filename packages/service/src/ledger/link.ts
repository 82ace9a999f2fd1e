// Builds a link of the audit chain: entries after a head, the rows and counts that commit with them, and the head after them.
import type { StoredEntry } from '@eaas/protocol/audit';
import { toHex } from '@eaas/protocol/internal';
import type { Receipt } from '@eaas/protocol/wire';
import { fromLatin1, entryHashes, entryMacs, randomBytes, toLatin1 } from '#platform';
import type { TenantSecrets } from '../crypto/tenant-secrets.ts';
import type { Draft } from '../rules/draft.ts';
import type { Author, Receipts } from './decision.ts';
import { sealHead, sealRow } from './rows.ts';
import type { HeadRow, Link, Run, SealedWrite, Tally } from './store.ts';
import { masked, rowInSum } from './sum.ts';
import { type Ref, refOf, type Table, type Write } from './table.ts';

/** The most that one link has. A single decision can have more. */
const linkLimits = { entries: 2_000, bytes: 512 * 1024 } as const;

/** Begins a link after the head `expected`. Entries that differ only in their ids form a run, which is stored as one. */
export function beginLink(
  secrets: TenantSecrets,
  tables: ReadonlyMap<string, Table<never>>,
  expected: HeadRow,
  created_at: number,
  sumBefore: bigint,
) {
  const { tenant_id } = expected;
  const chain = entryHashes();
  /** With one character per byte, as they are chained. */
  const hashes: string[] = [];
  const runs: Run[] = [];
  const tallies = new Map<string, { -readonly [Member in keyof Tally]: Tally[Member] }>();
  const writes = new Map<Ref, SealedWrite>();
  let [run, runFirst, runTally]: [StoredEntry | undefined, number, Tally | undefined] = [
    undefined,
    1,
    undefined,
  ];
  let hash = toLatin1(expected.hash);
  let sum = sumBefore;
  let bytes = 0;

  const endRun = (): void => {
    if (run) {
      const { action, key_id, key_version, actor, ip_address, metadata } = run;
      runs.push({
        first: runFirst,
        last: hashes.length,
        action,
        key_id,
        key_version,
        actor,
        ip_address,
        metadata,
      });
    }
    runFirst = hashes.length + 1;
  };

  const tallyOf = ({ action, keyId, keyVersion }: Draft) => {
    const name = `${action} ${keyId} ${keyVersion}`;
    const known = tallies.get(name);
    if (known) return known;
    const added = { key_id: keyId, key_version: keyVersion, action, n: 0, refused: 0 };
    tallies.set(name, added);
    return added;
  };

  const link = {
    /** The rows as this link leaves them. */
    writes,
    get size(): number {
      return hashes.length;
    },
    get isFull(): boolean {
      return hashes.length >= linkLimits.entries || bytes >= linkLimits.bytes;
    },
    get nextId(): number {
      return expected.id + hashes.length + 1;
    },
    get sum(): bigint {
      return sum;
    },
    add({ actor, ipAddress }: Author, draft: Draft): void {
      const id = link.nextId;
      const isNext = run && continues(run, actor, ipAddress, draft);
      if (isNext) hash = chain.next(hash, id);
      else {
        endRun();
        run = {
          tenant_id,
          id,
          action: draft.action,
          key_id: draft.keyId,
          key_version: draft.keyVersion,
          actor,
          ip_address: ipAddress,
          metadata: draft.metadata,
          created_at,
        };
        hash = chain.first(hash, run);
        bytes += 256 + draft.metadata.length;
      }
      hashes.push(hash);
      const tally = isNext && runTally ? (runTally as ReturnType<typeof tallyOf>) : tallyOf(draft);
      runTally = tally;
      if (draft.isRefused) tally.refused++;
      else tally.n++;
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
      writes.set(refOf(table, row), { ...write, row: sealRow(secrets, table, row), record });
      bytes += 512;
    },
    receipts: (from: number, count: number): Receipts => ({
      count,
      of: (nth): Receipt => ({
        id: expected.id + from + nth + 1,
        hash: toHex(fromLatin1(hashes[from + nth] ?? '')),
      }),
      hashOf: (nth) => fromLatin1(hashes[from + nth] ?? ''),
    }),
    complete(quota: Pick<HeadRow, 'month' | 'encrypts'>, now: number): Link {
      endRun();
      const id = expected.id + hashes.length;
      const last = { id, hash: fromLatin1(hash), created_at, nonce: randomBytes(16) };
      const next = sealHead(secrets, {
        tenant_id,
        ...last,
        ...quota,
        sum: masked(secrets, last, sum),
      });
      const macs = entryMacs(secrets.auditMac, hashes);
      const seals = fromLatin1(hashes.map((each, index) => `${each}${macs[index]}`).join(''));
      const all = { runs, seals, writes: [...writes.values()], tallies: [...tallies.values()] };
      return { expected: { id: expected.id, mac: expected.mac }, next, ...all, now };
    },
  };
  return link;
}

export type LinkBuilder = ReturnType<typeof beginLink>;

function continues(run: StoredEntry, actor: string, ipAddress: string | null, draft: Draft): boolean {
  return (
    run.metadata === draft.metadata &&
    run.key_id === draft.keyId &&
    run.key_version === draft.keyVersion &&
    run.action === draft.action &&
    run.actor === actor &&
    run.ip_address === ipAddress
  );
}
