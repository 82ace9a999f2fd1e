import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, call, type Place, send } from '@eaas/test-kit/faults/client';
import { Load, newDek, tally } from '@eaas/test-kit/faults/load';
import { newKey, type Operator, readLog, type Tenant, verify } from '@eaas/test-kit/faults/place';
import type { Findings } from '../trial.ts';

const day = 86_400_000;
const grace = 30;

interface Expiring {
  readonly api_key: string;
  readonly api_key_id: string;
}

interface Prepared {
  readonly tenant: Tenant;
  readonly loaded: Tenant;
  readonly load: Load;
  readonly lives: Expiring;
  readonly expired: Expiring;
  readonly pending: { readonly keyId: string; readonly wrapped: unknown };
  readonly rotating: string;
}

export class ClockWitness {
  readonly #findings: Findings;
  readonly #places: readonly Place[];
  readonly #startedAt = Date.now();
  readonly #prepared: Prepared;
  #encrypts = 0;

  private constructor(findings: Findings, places: readonly Place[], prepared: Prepared) {
    this.#findings = findings;
    this.#places = places;
    this.#prepared = prepared;
  }

  static async prepare(
    findings: Findings,
    operator: Operator,
    places: readonly Place[],
  ): Promise<ClockWitness> {
    const [place = { port: 0 }] = places;
    const tenant = await operator.newTenant({ monthly_encrypt_quota: 3 });
    const loaded = await operator.newTenant();
    const post = <T>(path: string, body: unknown): Promise<T> =>
      call<T>(place, tenant.token, 'POST', path, body);
    const expiring = (name: string, after: number): Promise<Expiring> =>
      post('/v1/api-keys', {
        name,
        permissions: ['encrypt', 'decrypt', 'keys.read'],
        expires_at: new Date(Date.now() + after).toISOString(),
      });
    const lives = await expiring('lives for 90 days', 90 * day);
    const expired = await expiring('expired', 1_500);
    const keyId = await newKey(place, tenant.token);
    const { wrapped_key: wrapped } = await post<{ wrapped_key: string }>(`/v1/keys/${keyId}/wrap`, {
      dek: newDek(),
    });
    await post(`/v1/keys/${keyId}/disable`, {});
    await call(place, tenant.token, 'DELETE', `/v1/keys/${keyId}?grace_days=${grace}`);
    const rotating = await newKey(place, tenant.token);
    await call(place, tenant.token, 'PUT', `/v1/keys/${rotating}/rotation-policy`, { interval_days: 30 });
    const loadedKey = await newKey(place, loaded.token);
    const load = new Load({ places, token: loaded.token, keyId: loadedKey, workers: 2, rest: 10 });
    findings.defer(() => load.stop());
    await sleep(2_000);
    const pending = { keyId, wrapped };
    return new ClockWitness(findings, places, { tenant, loaded, load, lives, expired, pending, rotating });
  }

  /** While a clock is wrong, the server may respond with 503 or 500, but never with a wrong result. */
  async ask(place: Place): Promise<void> {
    const { token } = this.#prepared.tenant;
    const path = `/v1/keys/${this.#prepared.rotating}/wrap`;
    const lives = await send(place, this.#prepared.lives.api_key, 'POST', path, { dek: newDek() });
    this.#allow('an API key that has 90 days left is not expired', lives, [200]);
    const expired = await send(place, this.#prepared.expired.api_key, 'POST', path, { dek: newDek() });
    this.#allow('an expired API key stays expired', expired, [401]);
    const encrypt = { key_id: this.#prepared.rotating, plaintext: 'x' };
    const quota = await send(place, token, 'POST', '/v1/encrypt', encrypt);
    if (quota.status === 200) this.#encrypts += 1;
    this.#findings.check(
      'no tenant encrypts more often than its monthly quota allows',
      this.#encrypts <= 3,
      `${this.#encrypts} of 3`,
    );
    await this.#askForGrace(place);
    await this.#askForExpiry(place);
  }

  async #askForGrace(place: Place): Promise<void> {
    const { token } = this.#prepared.tenant;
    const created = await send(place, token, 'POST', '/v1/keys', { name: `${Math.random()}` });
    const path = `/v1/keys/${String(created.body['key_id'])}`;
    const disabled = await send(place, token, 'POST', `${path}/disable`);
    if (disabled.status !== 200) return;
    const asked = await send(place, token, 'DELETE', `${path}?grace_days=${grace}`);
    if (asked.status !== 202) return;
    const off = Date.parse(String(asked.body['destroy_at'])) - Date.now() - grace * day;
    const invariant = 'a key is due for destruction at the end of its grace period';
    this.#findings.check(invariant, Math.abs(off) < 15_000, `${Math.round(off / 1_000)} s off`);
  }

  async #askForExpiry(place: Place): Promise<void> {
    const body = { name: 'later', permissions: ['encrypt'], expires_at: new Date(Date.now() + 90 * day) };
    const created = await send(place, this.#prepared.tenant.token, 'POST', '/v1/api-keys', body);
    this.#allow('an API key with an expiry in 90 days can be created', created, [201]);
  }

  #allow(invariant: string, answer: Answer, statuses: readonly number[]): void {
    const { status, code } = answer;
    this.#findings.answer({ [`${status} ${code}`.trim()]: 1 });
    const unavailable = status === 503 || code === 'audit_unwritten';
    this.#findings.check(invariant, unavailable || statuses.includes(status), `${status} ${code}`);
  }

  /** Call this function only after all clocks are correct again. */
  async judge(wrong: 'replica' | 'database' = 'replica'): Promise<void> {
    const findings = this.#findings;
    findings.answer(tally(await this.#prepared.load.stop()));
    for (const place of this.#places) {
      await this.ask(place);
      const answer = await send(place, this.#prepared.lives.api_key, 'GET', '/v1/keys');
      findings.check(
        'every server serves again once the clock is correct',
        answer.status === 200,
        answer.code,
      );
    }
    const [place = { port: 0 }] = this.#places;
    await this.#checkKeys(place);
    await this.#checkLogs(place, wrong);
  }

  async #checkKeys(place: Place): Promise<void> {
    const { token } = this.#prepared.tenant;
    const { keyId, wrapped } = this.#prepared.pending;
    const findings = this.#findings;
    const restored = await send(place, token, 'POST', `/v1/keys/${keyId}/restore`);
    findings.check(
      'a key is not erased before the end of its grace period',
      restored.status === 200,
      restored.body,
    );
    const opened = await send(place, token, 'POST', `/v1/keys/${keyId}/unwrap`, { wrapped_key: wrapped });
    findings.check(
      'a data key that a restored key wrapped can be unwrapped',
      opened.status === 200,
      opened.code,
    );
    findings.lose(opened.status === 200 ? 0 : 1);
  }

  async #checkLogs(place: Place, wrong: 'replica' | 'database'): Promise<void> {
    for (const tenant of [this.#prepared.tenant, this.#prepared.loaded]) {
      const log = await readLog(place, tenant);
      const now = Date.now();
      const times = log.map(({ created_at }) => Date.parse(created_at));
      const behind = times.filter((time) => time < this.#startedAt - 70_000).length;
      this.#findings.check(
        'no audit entry has a time before the trial',
        behind === 0,
        `${behind} of ${times.length}`,
      );
      this.#findings.check('no entry is purged before its time', log[0]?.id === 1, `first ${log[0]?.id}`);
      const ahead = times.filter((time) => time > now + 60_000).length;
      const { valid, errors } = await verify(place, tenant);
      if (wrong === 'replica') {
        this.#findings.check(
          'no audit entry has a time in the future',
          ahead === 0,
          `${ahead} of ${times.length}`,
        );
        this.#findings.check('the audit chain is valid', valid === true, errors);
      } else {
        const reasons = new Set((errors as { reason: string }[]).map(({ reason }) => reason));
        const expected = ahead > 0 ? 'entry_in_future' : '';
        const found = `${ahead} ahead, ${[...reasons].join(', ')}`;
        const invariant = 'verification reports the entries with a time in the future, and nothing else';
        this.#findings.check(invariant, [...reasons].join(',') === expected, found);
      }
    }
    if (wrong === 'database') return;
    const key = await call(place, this.#prepared.tenant.token, 'GET', `/v1/keys/${this.#prepared.rotating}`);
    this.#findings.check('no key is rotated before its time', key['key_version'] === 1, key['key_version']);
  }
}
