import type { StoredEntry } from '@eaas/protocol/audit';
import type { Draft } from '@eaas/protocol/service';
import { entryHashes, entryMacs } from '../crypto/audit-mac.ts';
import { encodeRun, type Link } from '../store/append.ts';
import { type HeadRow, headTable } from '../store/heads.ts';
import { seal } from './integrity.ts';
import type { TenantState } from './tenant-state.ts';

interface Author {
  readonly actor: string;
  readonly ipAddress: string | null;
}

/** Consecutive entries that differ only in their ids form a run, which is encoded once. */
export function beginLink({ tenant, secrets }: TenantState, expected: HeadRow, created_at: number) {
  const hashOf = entryHashes();
  const hashes: string[] = [];
  const runs: string[] = [];
  let run: StoredEntry | undefined;
  let runFirst = 1;
  let hash = Buffer.from(expected.hash).toString('latin1');
  const endRun = (): void => {
    if (run) runs.push(encodeRun(run, runFirst, hashes.length));
    runFirst = hashes.length + 1;
  };
  return {
    get size(): number {
      return hashes.length;
    },
    add(by: Author, draft: Draft): void {
      const id = expected.id + hashes.length + 1;
      if (run && continues(run, by, draft)) hash = hashOf.next(hash, id);
      else {
        endRun();
        run = {
          tenant_id: tenant.tenant_id,
          id,
          action: draft.action,
          key_id: draft.keyId,
          key_version: draft.keyVersion,
          actor: by.actor,
          ip_address: by.ipAddress,
          metadata: draft.metadata,
          created_at,
        };
        hash = hashOf.first(hash, run);
      }
      hashes.push(hash);
    },
    complete(changesOf: (last: Pick<HeadRow, 'id' | 'hash'>) => Partial<HeadRow>): Link {
      endRun();
      const last = { id: expected.id + hashes.length, hash: Buffer.from(hash, 'latin1') };
      const next = seal(secrets, headTable, { ...expected, ...last, created_at, ...changesOf(last) });
      const macs = entryMacs(secrets.auditMac, hashes);
      const seals = hashes.map((each, index) => `${each}${macs[index]}`).join('');
      return { expected, next, runs, seals: Buffer.from(seals, 'latin1') };
    },
  };
}

function continues(run: StoredEntry, { actor, ipAddress }: Author, draft: Draft): boolean {
  return (
    run.metadata === draft.metadata &&
    run.key_id === draft.keyId &&
    run.key_version === draft.keyVersion &&
    run.action === draft.action &&
    run.actor === actor &&
    run.ip_address === ipAddress
  );
}
