import type { AddressInfo } from 'node:net';
import { permissions, type Permission } from '@eaas/protocol/wire';
import { createTestService, type TestService } from '@eaas/sdk/testing';
import { insider } from '../../../packages/server/src/caller.ts';
import { openDoors } from '../../../packages/server/src/doors.ts';
import { createApp } from '../../../packages/server/src/http/app.ts';
import { countUsage } from '../../../packages/server/src/jobs/count-usage.ts';
import { createApiKey } from '../../../packages/server/src/operations/create-api-key.ts';
import { eraseDueKey } from '../../../packages/server/src/operations/destruction.ts';
import { rotateDueKey } from '../../../packages/server/src/operations/rotation.ts';
import { createTenant, updateTenant } from '../../../packages/server/src/operations/tenants.ts';
import type { Service } from '../../../packages/server/src/service.ts';
import { allKeys } from '../../../packages/server/src/store/keys.ts';
import type { World } from '../../setup/world.ts';
import { comparable, Names } from './comparable.ts';

/** The same thing on both sides: in the real service, and in the one in memory. */
export interface Twin<T> {
  readonly real: T;
  readonly memory: T;
}

type Side = keyof Twin<unknown>;
/** Takes one's own of a twin. */
export type Own = <T>(twin: Twin<T>) => T;

/** A request that is sent to both, each with its own ids in it. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit | object;
}

/** What a tenant can be set to, as both sides understand it. */
interface Mode {
  readonly envelopeOnly?: boolean;
  readonly monthlyEncryptQuota?: number | null;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** A tenant of the real service and one in memory, which live through the same. */
export class Pair {
  readonly #differences: object[] = [];
  #calls = 0;
  /** Whether keys become due: else only a GET shows what the jobs do. */
  showsJobs = false;
  readonly #service: Service;
  readonly #address: string;
  readonly #tenantId: string;
  readonly #memory: TestService;
  readonly #names: Twin<Names> = { real: new Names(), memory: new Names() };
  readonly token: Twin<string>;

  constructor(
    service: Service,
    address: string,
    tenant: { readonly tenantId: string; readonly token: string },
    memory: TestService,
  ) {
    this.#service = service;
    this.#address = address;
    this.#tenantId = tenant.tenantId;
    this.#memory = memory;
    this.token = { real: tenant.token, memory: memory.apiKey };
  }

  /** Sends a request to both, notes how their answers differ, and gives what they are. */
  async send(build: (own: Own) => Sent): Promise<Twin<Answer>> {
    this.#calls++;
    if (this.showsJobs || build((twin) => twin.real).method === 'GET') await this.#doJobs();
    const [real, memory] = [await this.#ask('real', build), await this.#ask('memory', build)];
    const [expected, actual] = [this.#shown('real', real), this.#shown('memory', memory)];
    if (JSON.stringify(expected) !== JSON.stringify(actual)) {
      const { method, path, body } = build((twin) => twin.memory);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      this.#differences.push({ call: `${method} ${path} ${text?.slice(0, 200)}`, expected, actual });
    }
    return { real, memory };
  }

  /** A GET of both. */
  get(path: (own: Own) => string, token?: Twin<string>): Promise<Twin<Answer>> {
    return this.send((own) => ({ method: 'GET', path: path(own), ...(token && { token: own(token) }) }));
  }

  /** A POST of JSON to both. */
  post(path: (own: Own) => string, body: (own: Own) => object): Promise<Twin<Answer>> {
    return this.send((own) => ({ method: 'POST', path: path(own), body: body(own) }));
  }

  /** What one answered and the other did not, the log that is left included. Throws where nothing was compared. */
  async allDifferences(): Promise<readonly object[]> {
    if (this.#calls < 5) throw new Error('a comparison of almost nothing');
    await this.#compareLogs();
    await this.get(() => '/v1/audit/verify');
    return this.#differences;
  }

  async #compareLogs(): Promise<void> {
    const first = await this.get(() => '/v1/audit?limit=1');
    const total = Math.max(Number(first.real.body['total']), Number(first.memory.body['total']));
    for (let offset = 0; offset < total; offset += 100) {
      await this.get(() => `/v1/audit?limit=100&offset=${offset}`);
    }
  }

  /** What the operator changes. */
  async set({ envelopeOnly, monthlyEncryptQuota }: Mode): Promise<void> {
    await updateTenant(this.#service, this.#tenantId, {
      envelope_only: envelopeOnly,
      monthly_encrypt_quota: monthlyEncryptQuota,
    });
    this.#memory.setTenant({ envelopeOnly, monthlyEncryptQuota });
  }

  /** An API key with these permissions, issued by the operator. */
  async issue(held: readonly Permission[]): Promise<Twin<string>> {
    const fields = { name: 'issued', permissions: [...held] };
    const real = await createApiKey(this.#service, insider(this.#tenantId, 'operator'), fields);
    return { real: real.api_key, memory: this.#memory.createApiKey(fields).api_key };
  }

  /** The real service counts and settles by and by, this one at once: as if its jobs had just run. */
  async #doJobs(): Promise<void> {
    const caller = insider(this.#tenantId, 'system');
    const rows = await this.#service.database.run((sql) => allKeys(sql, this.#tenantId));
    // The job takes them as they come; here the oldest is the first.
    for (const { key_id } of rows.toSorted((a, b) => a.created_id - b.created_id)) {
      await rotateDueKey(this.#service, caller, key_id);
      await eraseDueKey(this.#service, caller, key_id);
    }
    await countUsage(this.#service, new AbortController().signal);
  }

  async #ask(side: Side, build: (own: Own) => Sent): Promise<Answer> {
    const own: Own = (twin) => twin[side];
    const { method, path, token = own(this.token), headers = {}, body } = build(own);
    const isJson = typeof body === 'object' && Object.getPrototypeOf(body) === Object.prototype;
    const response = await this.#fetch(side)(this.#base(side) + path, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as BodyInit) }),
    });
    const text = await response.text();
    const { status } = response;
    return { status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  }

  #fetch(side: Side): typeof fetch {
    return side === 'real' ? fetch : this.#memory.fetch;
  }

  #base(side: Side): string {
    return side === 'real' ? this.#address : this.#memory.baseUrl;
  }

  #shown(side: Side, { status, headers, body }: Answer): object {
    return comparable(status, headers, body, this.#names[side]);
  }
}

/** Makes pairs in a world, and stops serving it. */
export interface Pairs {
  readonly pair: () => Promise<Pair>;
  readonly close: () => Promise<void>;
}

/** Serves a world, and makes pairs in it. */
export async function openPairs(world: World): Promise<Pairs> {
  const service = world.replica();
  const doors = openDoors(service, { draining: false, jobs: [], verified: undefined });
  const app = createApp(doors, { log: { write: () => {} } });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    pair: async () => {
      const { tenant_id: tenantId } = await createTenant(service, {
        name: crypto.randomUUID().replaceAll('-', ''),
        envelope_only: false,
      });
      const { api_key: token } = await createApiKey(service, insider(tenantId, 'operator'), {
        name: 'everything',
        permissions: [...permissions],
      });
      const memory = createTestService({ now: () => world.time });
      return new Pair(service, address, { tenantId, token }, memory);
    },
    close: () => app.close(),
  };
}
