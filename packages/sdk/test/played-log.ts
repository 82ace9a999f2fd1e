import { signCheckpoint } from '@eaas/test-kit/server';
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { entryHash, genesisHash } from '@eaas/protocol/audit';
import type { Input, Output, Route } from '@eaas/protocol/wire';
import type { AuditEntry } from '../src/audit/list.ts';
import { type AuditMethods, auditOf } from '../src/audit/methods.ts';
import { ServiceError } from '../src/errors.ts';
import type { Call } from '../src/transport/transport.ts';

export interface PlayedLog {
  readonly tenantId: string;
  readonly call: Call;
  readonly audit: AuditMethods;
  entries: AuditEntry[];
  purged: number;
  time: number;
  readonly calls: Record<string, number>;
  seed: KeyObject;
  truth: Output<'GET /v1/audit/checkpoint'> | undefined;
  remember(): Promise<void>;
  before: (route: Route) => void | Promise<void>;
  append(count?: number, action?: AuditEntry['action']): void;
  purge(through: number): void;
  rechain(): void;
  verifies: (query: Input<'GET /v1/audit/verify'>) => Partial<Output<'GET /v1/audit/verify'>>;
  checkpoints: () => Partial<Output<'GET /v1/audit/checkpoint'>> | undefined;
  /** The proofs that the service keeps, oldest first. */
  proofs: { readonly id: number; readonly proof: string }[];
  pages: (page: Output<'GET /v1/audit'>) => Output<'GET /v1/audit'>;
}

const tenant = '00000000-0000-4000-8000-000000000001';
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export function playLog(length = 0): PlayedLog {
  let anchorHash = hex(genesisHash(tenant));
  const hashBefore = (index: number): string => log.entries[index - 1]?.hash ?? anchorHash;
  const chained = (entry: AuditEntry, previous: string): AuditEntry => ({
    ...entry,
    hash: hex(entryHash(Buffer.from(previous, 'hex'), entry)),
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
      next_row: null,
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
  const log: PlayedLog = {
    tenantId: tenant,
    entries: [],
    seed: createSecretKey(randomBytes(32)),
    audit: auditOf((...all) => log.call(...all)),
    truth: undefined,
    remember: async () => {
      log.truth = await log.call('GET /v1/audit/checkpoint', {});
    },
    purged: 0,
    time: Date.parse('2026-09-01T00:00:00Z'),
    calls: {},
    before: () => {},
    verifies: () => ({}),
    checkpoints: () => ({}),
    proofs: [],
    pages: (page) => page,
    call: (async (route: Route, input: never) => {
      log.calls[route] = (log.calls[route] ?? 0) + 1;
      if (log.calls[route] > 3_000) throw new Error('called without end');
      await log.before(route);
      // Returns a copy: a caller that changes the response must not change the log.
      return structuredClone(await answers[route]?.(input));
    }) as Call,
    append(count = 1, action = 'key.wrap') {
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
          hash: '',
        };
        log.entries.push(chained(entry, hashBefore(log.entries.length)));
      }
    },
    purge(through) {
      const gone = log.entries.splice(0, through - log.purged);
      anchorHash = gone.at(-1)?.hash ?? anchorHash;
      log.purged += gone.length;
    },
    rechain() {
      log.entries.forEach((entry, index) => (log.entries[index] = chained(entry, hashBefore(index))));
    },
  };
  for (let nth = 0; nth < length; nth++, log.time++) log.append();
  return log;
}
