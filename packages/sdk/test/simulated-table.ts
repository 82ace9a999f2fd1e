import { parseEnvelope } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import { EaasClient, type EaasClientOptions } from '@eaas/sdk';
import type { Change, Clock, ReencryptProgress, RowId, StoredValue } from '@eaas/sdk/reencrypt';
import type { TestService } from '@eaas/local';

export interface Person {
  readonly id: number;
  readonly values: { readonly email: StoredValue; readonly phone: StoredValue };
}

export function tableOf(emails: readonly StoredValue[]) {
  const rows = new Map<number, Person>();
  const writes: Change<Person>[] = [];
  const set = (id: number, values: Partial<Person['values']>): void => {
    const before = rows.get(id)?.values ?? { email: null, phone: null };
    rows.set(id, { id, values: { ...before, ...values } });
  };
  emails.forEach((email, index) => set(index + 1, { email }));
  const store = {
    /** Runs before each write. A test can replace this function to simulate changes by a second program. */
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

export function headerIn(ciphertext: string) {
  const { keyVersion, wrappedKey } = parseEnvelope(fromBase64(ciphertext));
  return { keyVersion, wrappedKey: toBase64(wrappedKey) };
}

export function clientOf({ baseUrl, apiKey, fetch }: TestService, options: Partial<EaasClientOptions> = {}) {
  return new EaasClient({ baseUrl, apiKey, fetch, ...options });
}

export async function runThrough<Id extends RowId>(
  run: AsyncIterable<ReencryptProgress<Id>>,
): Promise<ReencryptProgress<Id>[]> {
  const all: ReencryptProgress<Id>[] = [];
  for await (const progress of run) all.push(progress);
  return all;
}

export async function endOf<Id extends RowId>(
  run: AsyncIterable<ReencryptProgress<Id>>,
): Promise<ReencryptProgress<Id>> {
  const last = (await runThrough(run)).at(-1);
  if (!last) throw new Error('nothing was yielded');
  return last;
}

export function simulatedClock(): Clock & { readonly slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    now: () => slept.reduce((sum, one) => sum + one, 0),
    sleep: async (milliseconds) => void slept.push(milliseconds),
  };
}
