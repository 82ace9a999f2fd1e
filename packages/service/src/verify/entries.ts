// Walks along the chain of a tenant's entries, page by page: each entry must follow from the one before, have its MAC, not be
// older, or from the future, and not contradict what the log said before.
import { isBytes } from '@eaas/protocol/internal';
import type { ChainWalk, LogHistory } from '@eaas/protocol/internal-log';
import { entryHashes, entryMacs, fromLatin1, sameBytes, toLatin1 } from '#platform';
import type { TenantSecrets } from '../crypto/tenant-secrets.ts';
import { refsOfBlocks } from '../ledger/blocks.ts';
import { partsOf } from '../ledger/row-macs.ts';
import { allOf, between, idText, nameOf, type Query, type Table, type Where } from '../ledger/table.ts';
import { entries, type EntryRow } from '../ledger/tables.ts';
import { attempt } from '../rules/refusal.ts';
import type { Service } from '../service.ts';
import type { Today } from './today.ts';

/** Where a walk is, and up to which entry it goes. Hashes have one character per byte. */
export interface Walk {
  readonly tenantId: string;
  readonly secrets: TenantSecrets;
  readonly findings: Findings;
  readonly chain: ChainWalk<string>;
  readonly history: LogHistory;
  readonly today: Today;
  readonly last: number;
  /** The latest time that an entry can have. */
  readonly latest: number;
}

/** Reads entries in the order of their ids. */
export async function readEntries(
  { store }: Service,
  tenantId: string,
  where: Where[],
  page: Pick<Query<EntryRow>, 'limit' | 'bytes'>,
) {
  const asked = allOf<EntryRow>({ table: entries, where, by: 'id', ...page });
  const { found } = await store.read(tenantId, [asked]);
  return found.get(nameOf(asked))?.rows.map(({ row }) => row as EntryRow) ?? [];
}

/** Whether the service wrote an entry, and after one with this hash. */
export function isAuthenticEntry(
  { auditMac }: Pick<TenantSecrets, 'auditMac'>,
  tenantId: string,
  row: EntryRow,
  previous: Uint8Array,
): boolean {
  const isSame = attempt(() => {
    partsOf(entries, row);
    const hash = entryHashes().first(toLatin1(previous), { ...row, tenant_id: tenantId });
    const [mac = ''] = entryMacs(auditMac, [hash]);
    return sameBytes(fromLatin1(hash), row.hash) && sameBytes(fromLatin1(mac), row.mac);
  });
  return isSame === true;
}

/** An entry can have 40 KiB. What is read at once takes a few milliseconds of the event loop, and what is judged at once too. */
const pageOfEntries = { limit: 500, bytes: 256 * 1_024 } as const;
const judgedAtOnce = 200;

/** Goes on to the last entry, or by at least one page until the time is over. */
export async function walkEntries(service: Service, walk: Walk, timeLeft: () => number): Promise<void> {
  const { tenantId, chain, last, findings } = walk;
  const readFrom = async (id: number): Promise<EntryRow[]> =>
    id > last ? [] : readEntries(service, tenantId, between('id', id, last), pageOfEntries);
  let coming = readFrom(chain.next);
  while (chain.next <= last) {
    const page = await coming;
    // The database reads the next page while this one is judged.
    coming = readFrom((page.at(-1)?.id ?? last) + 1);
    coming.catch(() => {});
    if (page.length === 0) return reportMissing(walk, last + 1);
    const before = findings.count;
    const blocks = refsOfBlocks(page);
    const isListed = await walk.today.look(page, walk.history, blocks);
    for (let at = 0; at < page.length; at += judgedAtOnce) {
      judgePage(walk, page.slice(at, at + judgedAtOnce));
      if (service.fair.isOver()) await service.fair.pause(tenantId);
    }
    // An entry that was altered has other blocks.
    if (findings.count === before && !isListed) report(findings, 'blocks_differ', page[0]?.id);
    if (timeLeft() <= 0) return;
  }
}

/** As `isBytes`, and quicker for the bytes of a store. */
const areBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array || isBytes(value);

/**
 * What a value of each column is, of which the bytes of a text have the same digest. To ask this is cheaper than to encode all
 * parts. The hash and the MAC are compared as bytes anyway.
 */
const judged = /* @__PURE__ */ entries.columns.filter((name) => name !== 'hash' && name !== 'mac');
const typed = /* @__PURE__ */ judged.map((name) => {
  const type = entries.types?.[name] ?? '';
  if (type === 'bytes') return { name, fits: areBytes };
  const is = type.startsWith('number') ? 'number' : 'string';
  const isNullable = type.endsWith('?');
  return { name, fits: (value: unknown) => typeof value === is || (isNullable && value === null) };
});

function judgePage(walk: Walk, page: readonly EntryRow[]): void {
  const { tenantId, secrets, findings, chain, history, today, latest } = walk;
  const { first: hashOf } = entryHashes();
  const hashes = page.map(({ hash }) => (areBytes(hash) ? toLatin1(hash) : ''));
  const macs = entryMacs(secrets.auditMac, hashes);
  for (const [nth, row] of page.entries()) {
    const { id, created_at: time, mac } = row;
    const hash = hashes[nth] ?? '';
    const expected = fromLatin1(macs[nth] ?? '');
    const hasMac = areBytes(mac);
    reportMissing(walk, id);
    const step = chain.step({ id, hash: hash.length === 32 ? hash : undefined, time }, (previous) => {
      const isTyped = typed.every(({ name, fits }) => fits(row[name]));
      return isTyped && hash === attempt(() => hashOf(previous, { ...row, tenant_id: tenantId }));
    });
    if (time > latest) report(findings, 'entry_in_future', id);
    if (step.wentBack) report(findings, 'time_went_back', id);
    const isOurs = hasMac && sameBytes(expected, mac);
    if (step.isAltered) report(findings, 'entry_changed', id);
    else if (!isOurs) report(findings, 'entry_mac_invalid', id);
    else if (attempt(() => isContradiction(walk, row))) report(findings, 'contradiction', id);
    // Nobody knows what the entry said when it was written.
    if (step.isAltered || !isOurs) for (const one of [history, today]) one.skipTo(chain.next);
  }
}

/** Judges what an authentic entry says by what is known, and goes on behind it. */
function isContradiction({ history, today }: Walk, row: EntryRow): boolean {
  const said = history.step(row);
  const isForbidden = today.forbids(row);
  today.pass(row);
  return said !== undefined || isForbidden;
}

function reportMissing({ chain, history, today, findings }: Walk, next: number): void {
  const missing = chain.skipTo(next);
  if (missing === 0) return;
  for (const one of [history, today]) one.skipTo(next);
  report(findings, 'entry_missing', next - missing, missing);
}

/** What is not as the service wrote it. `id` is that of the entry that it concerns. `count`: how many findings there are. */
export interface Findings {
  readonly first: { readonly id: number | null; readonly reason: string }[];
  count: number;
}

const mostShown = 100;

/** Reports a finding, or as many as entries are concerned: they follow the one with the id. */
export function report(findings: Findings, reason: string, id: unknown, entries = 1): void {
  // A tampered row can have a number that is no id.
  const known = Number.isSafeInteger(id) && Number(id) >= 0 ? Number(id) : undefined;
  for (let nth = 0; nth < entries && findings.first.length < mostShown; nth++) {
    findings.first.push({ id: known === undefined ? null : known + nth, reason });
  }
  findings.count = Math.min(findings.count + entries, Number.MAX_SAFE_INTEGER);
}

/** Names a row as findings do, as in `key_changed: 1f0c…`. Of bytes, as of a person's id, it shows the first half. */
export function reasonFor(table: Table<never>, what: 'changed' | 'missing' | 'put_back', row: object) {
  const values = row as Readonly<Record<string, unknown>>;
  const id = table.id.map((name) =>
    values[name] instanceof Uint8Array ? idText(values[name]).slice(0, 32) : values[name],
  );
  return `${table.name.slice(0, -1)}_${what}: ${id.join(' ')}`;
}
