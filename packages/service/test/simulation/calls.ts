// Who calls a tenant, and what they ask for: single calls, batches, and users of a sign-in.
import { randomBytes } from 'node:crypto';
import { newSignIn } from '@eaas/test-kit/sign-in';
import type { Judge } from './judge.ts';
import type { Call, Doing, Input } from './model.ts';
import type { Chance } from './plan.ts';

/** When a run begins, and how long a quiet time is, in which keys become due and tokens expire. */
export const start = Date.UTC(2026, 8, 3);
export const leap = 26 * 3_600_000;

const signIn = newSignIn('Ed25519');
const tokens = new Map<string, string>();

/** The token of a user for a day of the run. All runs share them. */
function tokenOf(user: string, day: number) {
  const iat = (start + day * leap) / 1_000 - 3_600;
  const exp = iat + 46_800;
  const token = tokens.get(`${user} ${day}`) ?? signIn.token(user, { iat, exp });
  tokens.set(`${user} ${day}`, token);
  return { token, until: (exp + 60) * 1_000 };
}

type Wish = readonly [doing: Doing, input: Input];

const keyPermissions = ['keys.read', 'keys.manage', 'keys.destroy'];
const permissions = ['encrypt', 'decrypt', 'subjects.erase', 'audit.read', ...keyPermissions];

/** Holders of API keys, the operator and users, with what they remember. */
export class Callers {
  readonly judge: Judge;
  day = 0;
  keyIds: string[] = [];
  /** The inputs of calls that open what was wrapped. */
  wraps: Input[] = [];
  readonly apiKeys: { readonly id: string; readonly token: string }[] = [];
  readonly issuerIds: string[] = [];
  readonly #chance: Chance;
  #count = 0;

  constructor(judge: Judge, chance: Chance) {
    this.judge = judge;
    this.#chance = chance;
  }

  /** Any one call. */
  one(): Call {
    const { below, is, pick } = this.#chance;
    const roll = below(100);
    const key_id = pick(this.keyIds);
    if (roll < 4) return this.operator(this.newKey(`key ${below(4)}`, is(0.5)));
    if (roll < 20) return this.any(this.wrap());
    if (roll < 24) return this.user(`user ${below(20)}`);
    if (roll < 40 && this.wraps.length > 0) {
      return this.any([`POST /v1/keys/:key_id/${is(0.7) ? 'unwrap' : 'rewrap'}`, pick(this.wraps)]);
    }
    if (roll < 50) return this.batch();
    if (roll < 58) return this.any(this.look());
    if (roll < 78) return this.any(this.change());
    if (roll < 82) {
      return this.any(['POST /v1/subjects/erase', { subject: pick(['ada', 'eve']), create: true }]);
    }
    if (roll < 86) {
      return this.operator(['set the quota', { monthly_encrypt_quota: pick([null, 3, 10, 100]) }]);
    }
    if (roll < 90) return this.any(['POST /v1/encrypt', { key_id, plaintext: 'x' }]);
    if (roll < 93) return this.operator(this.newApiKey());
    if (roll < 96) {
      return this.operator(['DELETE /v1/api-keys/:api_key_id', { api_key_id: pick(this.apiKeys).id }]);
    }
    if (roll < 97) {
      return this.operator(['DELETE /v1/issuers/:issuer_id', { issuer_id: pick(this.issuerIds) }]);
    }
    return this.operator(roll < 98 ? this.newIssuer() : ['GET /v1/audit/verify', {}]);
  }

  newKey(name: string, rotates = false): Wish {
    const rotation_policy = rotates ? { interval_days: 1 } : null;
    return ['POST /v1/keys', { name, intake: true, rotation_policy }];
  }

  newApiKey(): Wish {
    // Some expire in a quiet time.
    const expires_at = this.#chance.is(0.3) ? new Date(start + (this.day + 0.5) * leap).toISOString() : null;
    return ['POST /v1/api-keys', { name: 'app', permissions, expires_at }];
  }

  newIssuer(): Wish {
    const { issuer, audience, jwk } = signIn;
    const rights = { permissions: ['encrypt'], key_ids: [...this.keyIds], max_age_seconds: 86_400 };
    return ['POST /v1/issuers', { name: 'app', issuer, audience, jwks: { keys: [jwk] }, ...rights }];
  }

  wrap(
    subject = this.#chance.pick(['', '', '', 'ada', 'eve']),
    key_id = this.#chance.pick(this.keyIds),
  ): Wish {
    const dek = randomBytes(32).toString('base64');
    return ['POST /v1/keys/:key_id/wrap', { key_id, dek, ...(subject !== '' && { subject }) }];
  }

  /** A call that reads. */
  look(key_id = this.#chance.pick(this.keyIds)): Wish {
    const { is, pick } = this.#chance;
    if (is(0.25)) return ['POST /v1/subjects/show', { subject: pick(['ada', 'eve']) }];
    if (is(0.1)) return ['GET /v1/keys', {}];
    if (is(0.1)) return ['GET /v1/keys/:key_id/public-key', { key_id }];
    return is(0.3) ? ['GET /v1/keys/:key_id', { key_id }] : ['POST /v1/hash', { key_id, value: 'x' }];
  }

  /** A call that changes a key. An active one is most often rotated. */
  change(key_id = this.#chance.pick(this.keyIds), verb: 'rotate' | 'disable' = 'rotate'): Wish {
    const { below, is, pick } = this.#chance;
    if (is(0.1)) return ['DELETE /v1/keys/:key_id', { key_id, grace_days: is(0.6) ? 1 : 0 }];
    if (is(0.15)) return ['PUT /v1/keys/:key_id/min-version', { key_id, key_version: 1 + below(3) }];
    const { status } = this.judge.state.keys.get(key_id) ?? {};
    if (status === 'disabled') return ['POST /v1/keys/:key_id/enable', { key_id }];
    if (status === 'pending_destruction') return ['POST /v1/keys/:key_id/restore', { key_id }];
    return [`POST /v1/keys/:key_id/${pick([verb, verb, verb, 'disable'] as const)}`, { key_id }];
  }

  batch(): Call {
    const { below, pick } = this.#chance;
    const verb = this.wraps.length === 0 ? 'wrap' : pick(['wrap', 'unwrap', 'rewrap'] as const);
    const input = (): Input => (verb === 'wrap' ? this.wrap()[1] : pick(this.wraps));
    return this.apiKey(`POST /v1/batch/${verb}`, Array.from({ length: 1 + below(5) }, input));
  }

  /** Calls as the holder of an API key, or now and then as the operator. */
  any = (wish: Wish): Call => (this.#chance.is(0.85) ? this.apiKey(wish[0], [wish[1]]) : this.operator(wish));

  operator([doing, input]: Wish, actor = 'operator'): Call {
    return { doing, inputs: [input], actor, mark: this.mark() };
  }

  apiKey(doing: Doing, inputs: readonly Input[], mark = this.mark()): Call {
    const { id, token } = this.#chance.pick(this.apiKeys);
    return { doing, inputs, actor: id, token, mark };
  }

  /** A user of the sign-in, whose token can be one of yesterday. */
  user(name: string): Call {
    const { is, pick } = this.#chance;
    const mark = this.mark();
    const [doing, input] = this.wrap(name, pick(this.keyIds.slice(0, 2)));
    // The log has no address of a user, so the context says which call it is.
    const inputs = [{ ...input, context: { call: mark } }];
    const day = is(0.1) ? Math.max(0, this.day - 1) : this.day;
    return { doing, inputs, actor: pick(this.issuerIds), mark, ...tokenOf(name, day) };
  }

  mark = (): string => `n${++this.#count}`;

  /** After a loss, callers go on with what there is. */
  lose(): void {
    const { keys } = this.judge.state;
    this.keyIds = this.keyIds.filter((id) => keys.has(id));
    this.wraps = [];
  }
}
