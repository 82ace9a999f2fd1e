import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { rootKey } from '../crypto/tenant-secrets.ts';
import { newTenant } from '../operations/tenants.ts';
import { tenantDraft } from '../rules/draft.ts';
import { subjects } from '../plugins/people/subjects.ts';
import { Guess } from './guess.ts';
import { judgeAll } from './judge.ts';
import { Ledger } from './ledger.ts';
import { withMac } from './row-macs.ts';
import type { Known, Store, Stored } from './store.ts';
import { type Ref, refOf, type Table } from './table.ts';
import { keys, tenants } from './tables.ts';

const roots = [rootKey(randomBytes(32))] as const;
const tables = new Map([tenants, keys, subjects].map((table) => [table.name, table as Table<never>]));

function openGuess() {
  const { head, writes } = newTenant(roots, { name: 'acme' }, Date.now());
  const ledger = new Ledger({ store: {} as Store, roots, tables, listener: {} }, 0);
  return new Guess(ledger, head, { row: writes[0]?.row ?? {}, newest_rev: 0 });
}

const id = (nth: number): string => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
const subjectRow = (tenant_id: string, nth: number) => ({
  tenant_id,
  subject_id: Buffer.from(id(nth).replaceAll('-', '').repeat(2), 'hex'),
  sealed: new Uint8Array(60),
  created_id: 1,
  created_at: 1,
  erased_id: null,
  erased_at: null,
  erased_hash: null,
});

test('of 14,000 subjects a guess remembers those that were used last', () => {
  const guess = openGuess();
  const refs: Ref[] = [];
  for (let from = 0; from < 14_000; from += 1_000) {
    const rows = new Map<Ref, Stored>();
    for (let nth = from; nth < from + 1_000; nth++) {
      const row = subjectRow(guess.tenant.tenant_id, nth);
      rows.set(refOf(subjects, row), { row: withMac(guess.secrets, subjects, row), newest_rev: null });
    }
    refs.push(...rows.keys());
    guess.merge({ rows, found: new Map() } as unknown as Known, []);
  }
  const known = refs.filter((ref) => guess.has(ref));
  expect(known.length).toBeLessThanOrEqual(12_000);
  expect(known).toEqual(refs.slice(-known.length));
});

test('what follows the head of a clock that was ahead is no older, and counts on in its month', () => {
  const guess = openGuess();
  const time = Date.UTC(2026, 11) - 11_000;
  guess.head = { ...guess.head, created_at: time + 5, month: '2026-12', encrypts: 7 };
  const author = { actor: 'operator', ipAddress: null };
  const judge = () => ({ entries: [tenantDraft('tenant.update', {})], answer: 0, encrypts: 1 });
  const next = (now: number) =>
    judgeAll(guess, now, [{ decision: { author, needs: () => [], judge } }]).link?.next;
  expect(next(time)).toMatchObject({ created_at: time + 5, month: '2026-12', encrypts: 8 });
  expect(next(time - 1)).toMatchObject({ created_at: time + 5, month: '2026-11', encrypts: 1 });
});
