// A service inside this process, with one tenant: what the test service and the local service have in common.
import { EaasError, randomBytes, ServiceError } from '@eaas/protocol/internal';
import { refusalOf } from '@eaas/protocol/internal-service';
import { type Output, permissions } from '@eaas/protocol/wire';
import {
  apiKeyCreation,
  type Caller,
  createServiceWith,
  dueChange,
  insider,
  type KeyRow,
  keys,
  newTenant,
  type Plugin,
  put,
  Refusal,
  rootKey,
  type serverOperations,
  type Service,
  settle,
  settleKey,
  type TenantSettings,
  uses,
} from '@eaas/service';
import type { KeyStore } from './key-store.ts';
import type { MemoryStore } from './memory-store.ts';

export interface OwnTenant {
  readonly service: Service;
  readonly tenantId: string;
  readonly operator: Caller;
  /** An API key with every permission. The log has it before the first call. */
  readonly apiKey: Pick<Output<'POST /v1/api-keys'>, 'api_key_id' | 'api_key'>;
  /** Rotates and erases what is due, as others see it too. Each call does so before it is judged. Throws Refusal. */
  readonly before: () => Promise<void>;
}

interface Made {
  readonly memory: MemoryStore;
  /** Where the keys are kept, if not only in memory. */
  readonly kept?: KeyStore | undefined;
  readonly plugins: readonly Plugin[];
  readonly settings: TenantSettings & { readonly name: string };
  readonly now: () => number;
  /** What it answers beside calls about keys and data keys, if anything. */
  readonly operations?: typeof serverOperations;
}

const minute = 60_000;
/** For how long a call waits for a key file, in milliseconds: longer than for its lock. */
const patienceForFile = 30_000;

/** Makes a service with one tenant. */
export function ownTenant({ memory, kept, plugins, settings, now, operations = [] }: Made): OwnTenant {
  const roots = [rootKey(randomBytes(32))] as const;
  const { head, writes } = newTenant(roots, settings, now(), kept);
  const { tenant_id: tenantId } = head;
  const service = createServiceWith(operations, {
    store: kept?.store ?? memory,
    roots,
    plugins: [...plugins, ...(kept?.plugins ?? [])],
    clock: { now, learn: () => {} },
    patience: kept?.refresh ? patienceForFile : Infinity,
    listener: {
      used: (tenant_id, api_key_id) => {
        const last_used_at = Math.floor(now() / minute) * minute;
        memory.set(tenant_id, put(uses, { tenant_id, api_key_id, last_used_at }));
      },
    },
  });
  memory.add(head, writes);
  kept?.open(service);
  const operator = insider(tenantId, 'operator');
  const system = insider(tenantId, 'system');
  const input = { name: 'everything', permissions: [...permissions] };
  const apiKey = apiKeyCreation['POST /v1/api-keys'](service, operator, input);
  let made: Promise<unknown> | undefined;
  return {
    service,
    tenantId,
    operator,
    apiKey,
    before: async () => {
      kept?.refresh?.();
      await (made ??= settle(service, operator, apiKey).catch((error: unknown) => {
        made = undefined;
        throw error;
      }));
      const rows = memory.tenants.get(tenantId)?.tables.get(keys.name)?.values() ?? [];
      const due = Array.from(rows, ({ row }) => row as KeyRow).filter((row) => dueChange(row, now()));
      for (const { key_id } of due) {
        await settle(service, system, settleKey(service, system, { key_id })).catch((error: unknown) => {
          // A key with the most versions stays as it is.
          if (refusalOf(error).code !== 'conflict') throw error;
        });
      }
    },
  };
}

/** Returns the error that a client throws for a Refusal, and any other error as it is. */
export function clientError(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  if (error.cause instanceof EaasError) return error.cause;
  return new ServiceError(error.code, error.message, { status: error.problem.status });
}

/**
 * Adds members that are not enumerable, so that an object that spreads the service does not contain them. A client
 * would throw an error for these unknown options. JSON and logs of the service have no API key: Node's `inspect` would show a
 * member that is not enumerable, and call a getter, if it is asked for.
 */
export function withControls<Connection extends object, Controls extends object>(
  connection: Connection,
  controls: Controls,
): Connection & Controls {
  const shown = (): object => {
    const { apiKey: _, ...others } = { ...connection } as { readonly apiKey?: string };
    return others;
  };
  const hidden = { ...controls, toJSON: shown, [Symbol.for('nodejs.util.inspect.custom')]: shown };
  for (const name of Reflect.ownKeys(hidden)) {
    Object.defineProperty(connection, name, { value: Reflect.get(hidden, name) });
  }
  return connection as Connection & Controls;
}
