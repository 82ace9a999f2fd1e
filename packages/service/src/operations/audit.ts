// The audit log as its tenant reads it, and the counts that come with it: pages of entries, statements of its head, and whether
// it is as the service wrote it. A service puts these operations together.
import { toHex } from '@eaas/protocol/internal';
import { endpoints, formatTimestamp, limits, type Output, parseTimestamp } from '@eaas/protocol/wire';
import type { View } from '../ledger/decision.ts';
import { allOf, equal, between, type Query, refTo, type Where } from '../ledger/table.ts';
import { anchors, entries, type EntryRow, tallies, type TallyRow } from '../ledger/tables.ts';
import { monthOf } from '../ledger/judge.ts';
import { type Operations, preparing } from '../operation.ts';
import { type Holder, requireKeyId } from '../rules/authorize.ts';
import { attempt, Refusal, Tampered, unreachable } from '../rules/refusal.ts';
import { signCheckpoint } from '../verify/checkpoint.ts';
import { verifyWithPlugins } from '../verify/verify.ts';

/** For how long a call verifies, in milliseconds. */
const longest = 10_000;
/** How many rows a call compares at most. */
const mostRows = 200_000;

export const auditOperations = {
  'GET /v1/audit'({ plugins }, { tenantId }, input) {
    const { limit = limits.pageDefault, offset = 0, key_id, action, actor, date_from, date_to } = input;
    const page = { limit, offset };
    const since: Where[] = date_from ? [['created_at', '>=', parseTimestamp(date_from, 'up') ?? 0]] : [];
    const until: Where[] = date_to ? [['created_at', '<=', parseTimestamp(date_to, 'down') ?? 0]] : [];
    const whole = listedByIds(tenantId, page, since, until);
    const listingFor = (view: Pick<View, 'tenant' | 'secrets' | 'find'>, holder: Holder | null) => {
      const named = equal({ key_id: key_id && requireKeyId(holder, key_id), action });
      const plugged = plugins.flatMap((plugin) => plugin.filters?.(view, holder, input) ?? []);
      const further = [...equal({ actor }), ...plugged];
      const all = [...named, ...further, ...since, ...until];
      if (further.length > 0) return counted(page, all, limits.countedEntries);
      return named.length === 0 ? whole : counted(page, all);
    };
    return {
      needs: (view, holder) => listingFor(view, holder).needs,
      judge(view, holder) {
        const { rows, ...total } = listingFor(view, holder).find(view);
        const logs = rows.map((row) => shownEntry(tenantId, row));
        return { entries: [], answer: { logs, count: logs.length, ...total, limit, offset } };
      },
    };
  },
  'GET /v1/audit/verify': (service, { tenantId }, input) =>
    preparing(async () => {
      const { clock } = service.ledger;
      const end = clock.now() + longest;
      const timeLeft = () => end - clock.now();
      const options = { ...input, mostRows, timeLeft };
      return verifyWithPlugins(service, tenantId, options).catch((error: unknown) => {
        if (error instanceof Refusal) throw error;
        service.listener.failed?.(error, tenantId, 'read');
        throw unreachable(error);
      });
    }),
  'GET /v1/audit/checkpoint': (_, { tenantId }) =>
    preparing(async ({ head: { id, hash }, secrets }) => ({
      ...(await signCheckpoint(secrets.checkpoint, tenantId, { id, hash })),
      tenant_id: tenantId,
      id,
      hash: toHex(hash),
    })),
  // From the counts that come with each append. Plugins add counts of their own.
  'GET /v1/usage'(_, __, input) {
    return {
      needs: ({ now }) => inUsage.map((action) => allOf(usesOf(input.month ?? monthOf(now), action))),
      judge(view) {
        const { month = monthOf(view.now) } = input;
        const uses = inUsage.map((action) => [action, view.all(usesOf(month, action)).sums?.['n'] ?? 0]);
        const { monthly_encrypt_quota: encrypt_quota } = view.tenant;
        // Plugins add the rest.
        const answer = { month, operations: Object.fromEntries(uses), encrypt_quota } as Usage;
        return { entries: [], answer };
      },
    };
  },
  'GET /v1/audit/proof': () => ({ judge: () => ({ entries: [], answer: noPublicLog() }) }),
} satisfies Partial<Operations>;

/** 404, unless the plugin that keeps the public log makes another answer. */
const noPublicLog = (): Refusal =>
  new Refusal(
    'not_found',
    'This service keeps no public log, so it has no proofs: ask its operator to switch the log on.',
  );

type Page = { readonly limit: number; readonly offset: number };
const newestFirst = { table: entries, by: 'id', descending: true } as const;

/**
 * Finds entries by ids, which have no gaps, and by times, which never decrease: a page costs the same at any depth. The newest
 * page ends at the head, and is read with it.
 */
function listedByIds(tenantId: string, { limit, offset }: Page, since: Where[], until: Where[]) {
  const newest: Query<EntryRow> = { ...newestFirst, where: [], limit };
  const first: Query<EntryRow> = { table: entries, where: since, by: 'id', limit: 1 };
  const last: Query<EntryRow> = { ...newestFirst, where: until, limit: 1 };
  const ends = [first, last].filter(({ where }) => where.length > 0);
  const isNewest = offset === 0 && ends.length === 0;
  // The ids are read before the page. If the log grows meanwhile, the list is that of the log before.
  let range: { readonly from: number; readonly to: number } | undefined;
  return {
    needs: [refTo(anchors, tenantId), ...(isNewest ? [newest] : ends).map(allOf)],
    find(view: View) {
      const anchor = view.find(anchors, tenantId);
      const { id: head } = view.head;
      range ??= {
        from: since.length > 0 ? (view.all(first).rows[0]?.id ?? head + 1) : (anchor?.id ?? 0) + 1,
        to: until.length > 0 ? (view.all(last).rows[0]?.id ?? 0) : head,
      };
      const { from, to } = range;
      const total = Math.max(0, to - from + 1);
      if (offset >= total) return { rows: [], total };
      const page = isNewest ? newest : { ...newest, where: between('id', from, to - offset) };
      return { rows: view.all(page).rows.filter(({ id }) => id >= from && id <= to), total };
    },
  };
}

/** Finds entries by what they say, and counts them, up to a number. */
function counted(page: Page, where: readonly Where[], most = Infinity) {
  const counts = most === Infinity ? true : most + 1;
  const found: Query<EntryRow> = { ...newestFirst, ...page, where, counts };
  return {
    needs: [allOf(found)],
    find(view: View) {
      const { rows, total } = view.all(found);
      return total > most ? { rows, total: null, total_at_least: most } : { rows, total };
    },
  };
}

const shown = endpoints['GET /v1/audit'].output.shape.logs.def.element;

/** An entry as the API shows it. Throws Tampered for one that the service cannot have written. */
export function shownEntry(tenantId: string, row: EntryRow): Output<'GET /v1/audit'>['logs'][number] {
  const entry = attempt(() =>
    shown.parse({
      ...row,
      tenant_id: tenantId,
      metadata: JSON.parse(row.metadata) as unknown,
      created_at: formatTimestamp(row.created_at),
      salt: toHex(row.salt),
      hash: toHex(row.hash),
    }),
  );
  if (!entry) throw new Tampered(entries.name, String(row.id), tenantId);
  return entry;
}

type Usage = Output<'GET /v1/usage'>;

const inUsage = ['encrypt', 'decrypt', 'key.wrap', 'key.unwrap'] as const;

const usesOf = (month: string, action: string): Query<TallyRow> => ({
  table: tallies,
  where: equal({ month, action }),
  limit: 0,
  sums: ['n'],
});
