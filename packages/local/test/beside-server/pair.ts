import {
  type Service,
  countUsage,
  insider,
  listKeys,
  recordLastUses,
  settleKey,
  updateTenant,
} from '@eaas/test-kit/server';
import { alone } from '@eaas/test-kit/alone';
import { createTestService, type TestService } from '@eaas/local';
import { settle, type World } from '@eaas/test-kit/world';
import { comparable, Names } from './comparable.ts';

export interface Twin<T> {
  readonly real: T;
  readonly memory: T;
}

type Side = keyof Twin<unknown>;
export type Own = <T>(twin: Twin<T>) => T;

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit | object;
}

interface Mode {
  readonly envelopeOnly?: boolean;
  readonly monthlyEncryptQuota?: number | null;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export class Pair {
  readonly #differences: object[] = [];
  #calls = 0;
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

  get(path: (own: Own) => string, token?: Twin<string>): Promise<Twin<Answer>> {
    return this.send((own) => ({ method: 'GET', path: path(own), ...(token && { token: own(token) }) }));
  }

  post(path: (own: Own) => string, body: (own: Own) => object): Promise<Twin<Answer>> {
    return this.send((own) => ({ method: 'POST', path: path(own), body: body(own) }));
  }

  async allDifferences(): Promise<readonly object[]> {
    if (this.#calls < 5)
      throw new Error(
        `the test must send at least 5 calls to both services, the server and the service in memory (got ${this.#calls})`,
      );
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

  async set({ envelopeOnly, monthlyEncryptQuota }: Mode): Promise<void> {
    await updateTenant(this.#service, this.#tenantId, {
      envelope_only: envelopeOnly,
      monthly_encrypt_quota: monthlyEncryptQuota,
    });
    this.#memory.setTenant({ envelopeOnly, monthlyEncryptQuota });
  }

  /** The real service updates keys and usage in jobs. The service in memory needs no jobs. */
  async #doJobs(): Promise<void> {
    const caller = insider(this.#tenantId, 'system');
    const page = { limit: 1_000, offset: 0 };
    const rows = await this.#service.database.run((sql) =>
      listKeys(sql, this.#tenantId, { among: null }, page),
    );
    // The server's job `due_keys` visits keys in no fixed order. This loop replaces the job and visits the oldest keys
    // first, as the service in memory does, so that both write their entries in the same order.
    for (const { key_id } of rows.toSorted((a, b) => a.created_id - b.created_id)) {
      await settleKey(this.#service, caller, key_id, alone().hold);
    }
    await recordLastUses(this.#service);
    await countUsage(this.#service, alone());
  }

  async #ask(side: Side, build: (own: Own) => Sent): Promise<Answer> {
    const own: Own = (twin) => twin[side];
    const { method, path, token = own(this.token), headers = {}, body } = build(own);
    const isJson = typeof body === 'object' && Object.getPrototypeOf(body) === Object.prototype;
    const { baseUrl, fetch: send } = side === 'real' ? { baseUrl: this.#address, fetch } : this.#memory;
    const response = await send(baseUrl + path, {
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

  #shown(side: Side, { status, headers, body }: Answer): object {
    return comparable(status, headers, body, this.#names[side]);
  }
}

export async function openPairs(world: World): Promise<() => Promise<Pair>> {
  const service = world.replica();
  const address = await world.serve(service);
  return async () => {
    const resident = await settle(service, crypto.randomUUID().replaceAll('-', ''));
    return new Pair(service, address, resident, createTestService({ now: () => world.time }));
  };
}
