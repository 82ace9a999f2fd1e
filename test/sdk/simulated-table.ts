import { EaasClient, type EaasClientOptions } from '@eaas/sdk';
import type { Change, Clock, Progress, RowId, StoredValue } from '@eaas/sdk/reencrypt';
import { createTestService, type TestService } from '@eaas/sdk/testing';

export interface Person {
  readonly id: number;
  readonly values: { readonly email: StoredValue; readonly phone: StoredValue };
}

/** A table in memory with the store of it: its calls take effect at once, and what is read stays as it was. */
export function tableOf(emails: readonly StoredValue[]) {
  const rows = new Map<number, Person>();
  const writes: Change<Person>[] = [];
  const set = (id: number, values: Partial<Person['values']>): void => {
    const before = rows.get(id)?.values ?? { email: null, phone: null };
    rows.set(id, { id, values: { ...before, ...values } });
  };
  emails.forEach((email, index) => set(index + 1, { email }));
  const store = {
    /** What somebody else does between a read and the writes that follow from it. */
    meanwhile: (): void => {},
    async read({ after = 0, limit }: { after: number | undefined; limit: number }): Promise<Person[]> {
      const ids = Array.from(rows.keys()).sort((a, b) => a - b);
      const page = ids.filter((id) => id > after).slice(0, limit);
      return page.flatMap((id) => rows.get(id) ?? []);
    },
    async write(change: Change<Person>): Promise<boolean> {
      store.meanwhile();
      const now = rows.get(change.id)?.values;
      if (!now || !same(now.email, change.expected.email) || !same(now.phone, change.expected.phone))
        return false;
      writes.push(change);
      set(change.id, change.values);
      return true;
    },
  };
  const email = (id: number): string => String(rows.get(id)?.values.email);
  return { store, rows, writes, set, email, remove: (id: number) => rows.delete(id) };
}

function same(one: StoredValue, other: StoredValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A service in memory, a key in it, and a client. */
export function serviceWithKey(options: Partial<EaasClientOptions> = {}) {
  const service = createTestService();
  const { key_id: keyId } = service.createKey('emails');
  return { service, keyId, client: clientOf(service, { keyId, ...options }) };
}

export function clientOf({ baseUrl, apiKey, fetch }: TestService, options: Partial<EaasClientOptions> = {}) {
  return new EaasClient({ baseUrl, apiKey, fetch, ...options });
}

/** What was yielded, to the end. */
export async function runThrough<Id extends RowId>(
  run: AsyncIterable<Progress<Id>>,
): Promise<Progress<Id>[]> {
  const all: Progress<Id>[] = [];
  for await (const progress of run) all.push(progress);
  return all;
}

/** The last progress of a run to the end. */
export async function endOf<Id extends RowId>(run: AsyncIterable<Progress<Id>>): Promise<Progress<Id>> {
  const last = (await runThrough(run)).at(-1);
  if (!last) throw new Error('nothing was yielded');
  return last;
}

/** Time that passes only while somebody sleeps. */
export function simulatedClock(): Clock & { readonly slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    now: () => slept.reduce((sum, one) => sum + one, 0),
    sleep: async (milliseconds) => void slept.push(milliseconds),
  };
}
