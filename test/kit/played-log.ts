import { createSecretKey, randomBytes } from 'node:crypto';
import { chainHash, entryDigest, genesisHash } from '@eaas/protocol/audit';
import { ServiceError } from '@eaas/protocol/internal';
import type { Input, Output, Route } from '@eaas/protocol/wire';
import { type AuditEntry, EaasClient } from '@eaas/sdk';
import { signCheckpoint } from './server.ts';

export type PlayedLog = ReturnType<typeof playLog>;

const tenant = '00000000-0000-4000-8000-000000000001';
const apiKey = `eaas_sk_${'0'.repeat(43)}4C34ms`;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The audit log of a service, as its calls show it. A test changes the log and the answers as it likes. */
export function playLog(length = 0) {
  let anchorHash = hex(genesisHash(tenant));
  const hashBefore = (index: number): string => log.entries[index - 1]?.hash ?? anchorHash;
  const chained = (entry: AuditEntry, previous: string): AuditEntry => ({
    ...entry,
    hash: hex(chainHash(Buffer.from(previous, 'hex'), entryDigest(entry))),
  });
  const head = () => ({ id: log.entries.at(-1)?.id ?? log.purged, hash: hashBefore(log.entries.length) });
  const answers: Partial<Record<Route, (input: never) => unknown>> = {
    'GET /v1/audit': ({
      key_id,
      action,
      date_from,
      date_to,
      limit = 50,
      offset = 0,
    }: Input<'GET /v1/audit'>) => {
      const matching = log.entries
        .filter(
          (entry) =>
            (key_id === undefined || entry.key_id === key_id) &&
            (action === undefined || entry.action === action) &&
            (date_from === undefined || entry.created_at >= date_from) &&
            (date_to === undefined || entry.created_at <= date_to),
        )
        .toReversed();
      const most = Math.min(limit, 100);
      const logs = matching.slice(offset, offset + most);
      return log.pages({ logs, count: logs.length, total: matching.length, limit: most, offset });
    },
    'GET /v1/audit/checkpoint': async () => {
      const { id, hash } = head();
      const signed = await signCheckpoint(log.seed as never, tenant, { id, hash: Buffer.from(hash, 'hex') });
      return { ...signed, tenant_id: tenant, id, hash, ...log.checkpoints() };
    },
    'GET /v1/audit/proof': ({ id }: Input<'GET /v1/audit/proof'>) => {
      const found = id === undefined ? log.proofs.at(-1) : log.proofs.find((each) => each.id >= id);
      if (!found) throw new ServiceError('not_found', 'the public log has no such head yet');
      return { proof: found.proof };
    },
    'GET /v1/audit/verify': (query: Input<'GET /v1/audit/verify'>) => ({
      valid: true,
      complete: true,
      next_id: null,
      checked: log.entries.length,
      first_id: log.purged + 1,
      last_id: head().id,
      purged_through: log.purged > 0 ? { id: log.purged, hash: anchorHash } : null,
      head: head(),
      errors: [],
      error_count: 0,
      checkpoint: null,
      verified_at: new Date(log.time).toISOString(),
      ...log.verifies(query),
    }),
  };
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(new Request(input, init).url);
    const given = Array.from(searchParams, ([name, text]) => [
      name,
      /^\d+$/.test(text) ? Number(text) : text,
    ]);
    try {
      return Response.json(await log.call(`GET ${pathname}` as Route, Object.fromEntries(given) as never));
    } catch (error) {
      const { code, message: detail } = error as ServiceError;
      return Response.json({ code, detail }, { status: code === 'not_found' ? 404 : 503 });
    }
  };
  const log = {
    tenantId: tenant,
    /** The log, as a client of this service reads it. */
    audit: new EaasClient({ baseUrl: 'https://eaas.example', apiKey, fetch, retries: 0 }).audit,
    entries: [] as AuditEntry[],
    seed: createSecretKey(randomBytes(32)),
    purged: 0,
    time: Date.parse('2026-09-01T00:00:00Z'),
    calls: {} as Record<string, number>,
    before: (() => {}) as (route: Route) => void | Promise<void>,
    verifies: (() => ({})) as (
      query: Input<'GET /v1/audit/verify'>,
    ) => Partial<Output<'GET /v1/audit/verify'>>,
    checkpoints: (): Partial<Output<'GET /v1/audit/checkpoint'>> | undefined => ({}),
    /** The proofs that the service keeps, oldest first. */
    proofs: [] as { readonly id: number; readonly proof: string }[],
    pages: (page: Output<'GET /v1/audit'>) => page,
    call: (async (route: Route, input: never) => {
      log.calls[route] = (log.calls[route] ?? 0) + 1;
      if (log.calls[route] > 3_000) throw new Error('called without end');
      await log.before(route);
      // Returns a copy: a caller that changes the response must not change the log.
      return structuredClone(await answers[route]?.(input));
    }) as <R extends Route>(route: R, input: Input<R>) => Promise<Output<R>>,
    append(count = 1, action: AuditEntry['action'] = 'key.wrap', fields: Partial<AuditEntry> = {}) {
      for (let nth = 0; nth < count; nth++) {
        const id = log.purged + log.entries.length + 1;
        const entry: AuditEntry = {
          id,
          tenant_id: tenant,
          action,
          key_id: `00000000-0000-4000-8000-00000000000${id % 3}`,
          key_version: 1,
          actor: 'operator',
          ip_address: null,
          metadata: { nth: String(id) },
          created_at: new Date(log.time).toISOString(),
          salt: hex(randomBytes(16)),
          hash: '',
          ...fields,
        };
        log.entries.push(chained(entry, hashBefore(log.entries.length)));
      }
    },
    purge(through: number) {
      const gone = log.entries.splice(0, through - log.purged);
      anchorHash = gone.at(-1)?.hash ?? anchorHash;
      log.purged += gone.length;
    },
    at: (id: number) => log.entries[id - 1 - log.purged] as AuditEntry,
    headAt: (id: number) => ({ id, hash: log.at(id).hash }),
    /** Changes members of an entry, of which no hash knows. */
    change: (id: number, members: object) => void Object.assign(log.at(id), members),
    /** Changes an entry, and all hashes after it. */
    rewrite(id: number) {
      log.change(id, { actor: 'nobody' });
      log.rechain();
    },
    /** Computes all hashes again, so that nothing but what somebody kept shows a change. */
    rechain() {
      log.entries.forEach((entry, index) => {
        log.entries[index] = chained(entry, hashBefore(index));
      });
    },
  };
  for (let nth = 0; nth < length; nth++, log.time++) log.append();
  return log;
}
