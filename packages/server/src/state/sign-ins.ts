// The tokens of the apps' sign-ins: finds the issuer that a request names, and verifies the signature with `jose`. Remembered
// is only that a signature is right. Everything else is judged at each request, against the issuer's current row.
import { hash } from 'node:crypto';
import {
  fittingKey,
  type Holder,
  type IssuerKey,
  openIssuer,
  type OpenIssuer,
  type PresentedToken,
  rightsOf,
  unauthorized,
} from '@eaas/protocol/service';
import { compactVerify, type CryptoKey, importJWK } from 'jose';
import type { LRUCache } from 'lru-cache';
import type { Admission } from '../admission/admission.ts';
import { lastUsed } from '../base/last-used.ts';
import type { EndSignal } from '../base/waiting-room.ts';
import { Refusal } from '../base/refusal.ts';
import { findIssuer, type IssuerRow, issuerTable } from '../store/issuers.ts';
import { withDeadline } from '../store/database.ts';
import type { Clock } from './clock.ts';
import type { KeySets } from './key-sets.ts';
import type { Standing } from './caller.ts';
import type { TenantState, TenantView } from './tenant-view.ts';
import type { Tenants } from './tenants.ts';
import { timeLimit } from '../base/time-limit.ts';

/** A token that a request presents, with the issuer that it names. */
export interface SignInToken extends PresentedToken {
  readonly issuerId: string;
  readonly text: string;
  /** The SHA-256 of the text. */
  readonly hash: string;
}

/** The rights of a token's user, and the tenant whose issuer accepts the token. */
interface SignedIn extends Standing {
  readonly apiKey: Holder;
  readonly tenantId: string;
}

interface Found {
  readonly view: TenantView;
  readonly state: TenantState;
  readonly issuer: OpenIssuer;
}

/** The request that presents the token. */
interface Request {
  readonly arrivedAt: number;
  readonly signal?: EndSignal | undefined;
}

/** The time limit of a lookup in milliseconds, as for API keys. */
const patience = 2_900;
/** The CPU time of one verification in milliseconds, on another thread and here. */
const cost = 0.5;
/** What an issuer's older row could wrongly cause: its keys or their host can have changed. */
const confirmed: ReadonlySet<string> = new Set(['unauthorized', 'unavailable']);
const [mostTenants, mostSignatures, rememberedFor] = [256, 1_000, 600_000];

export class SignIns {
  readonly #tenants: Tenants;
  readonly #admission: Admission;
  readonly #clock: Clock;
  readonly #keySets: KeySets;
  readonly #tenantOf = lastUsed<string>(10_000);
  readonly #opened = new WeakMap<IssuerRow, OpenIssuer>();
  readonly #imported = new WeakMap<IssuerKey, Map<string, Promise<CryptoKey | Uint8Array>>>();
  /** By tenant: the thumbprint of the key that verified a token. */
  readonly #verified = lastUsed<LRUCache<string, string>>(mostTenants);

  constructor(tenants: Tenants, admission: Admission, clock: Clock, keySets: KeySets) {
    this.#tenants = tenants;
    this.#admission = admission;
    this.#clock = clock;
    this.#keySets = keySets;
  }

  /**
   * Finds the rights of a token's user. Returns undefined for an issuer that does not exist. Throws Refusal for a token that
   * the issuer does not accept. What this replica remembers refuses nobody: it is confirmed first.
   */
  async find(token: SignInToken, request: Request): Promise<SignedIn | undefined> {
    for (;;) {
      const cached = this.#cached(token.issuerId);
      const found = cached ?? (await withDeadline(this.#lookUp(token.issuerId), timeLimit(patience)));
      if (!found) return undefined;
      const { view, state, issuer } = found;
      const { tenant_id: tenantId } = state.tenant;
      try {
        const apiKey = rightsOf(issuer, token, this.#clock.now());
        await this.#verify(state, issuer, token, request);
        return { view, state, apiKey, tenantId };
      } catch (error) {
        if (!cached || !(error instanceof Refusal) || !confirmed.has(error.code)) throw error;
        await this.#admission.turns.begin('no tenant', request);
        await view.confirm(request.arrivedAt);
        if (view.stands(state)) throw error;
      }
    }
  }

  #cached(issuerId: string): Found | undefined {
    const tenantId = this.#tenantOf.get(issuerId);
    const view = tenantId === undefined ? undefined : this.#tenants.remembered.views.get(tenantId);
    const row = view && this.#tenants.remembered.issuer(view.state, issuerId);
    return row && { view, state: view.state, issuer: this.#open(row) };
  }

  async #lookUp(issuerId: string): Promise<Found | undefined> {
    const { tokens, remembered } = this.#tenants;
    const known = this.#tenantOf.get(issuerId);
    const found = await tokens.inShare(issuerId, known, (tenantId) =>
      tokens.loadRow(tenantId, issuerTable, (tx) => findIssuer(tx, tenantId, issuerId)),
    );
    if (!found) return undefined;
    const { view, state, row } = found;
    this.#tenantOf.set(issuerId, row.tenant_id);
    remembered.keepIssuer(state, row);
    return { view, state, issuer: this.#open(row) };
  }

  #open(row: IssuerRow): OpenIssuer {
    const known = this.#opened.get(row);
    if (known) return known;
    const opened = openIssuer(row);
    this.#opened.set(row, opened);
    return opened;
  }

  /**
   * Throws Refusal unless the issuer's key has signed the token. Until then, the work is that of no tenant. Tenants wait for
   * each other in turn, so that forged tokens of one hold up no sign-in of another.
   */
  async #verify(
    state: TenantState,
    { keys, row }: OpenIssuer,
    token: SignInToken,
    { signal }: Request,
  ): Promise<void> {
    const { tenant_id: tenantId } = state.tenant;
    const { issuer_id, jwks_uri } = row;
    const fetched = jwks_uri !== null && this.#keySets.keysFor(state, { issuer_id, jwks_uri }, token);
    const key = fittingKey(keys ?? ((await fetched) || []), token);
    const name = `${token.issuerId} ${token.hash}`;
    if (this.#verified.get(tenantId)?.get(name) === key.thumbprint) return;
    const { shares, turns } = this.#admission;
    const alg = String(token.header['alg']);
    const verify = async (): Promise<void> => {
      await turns.begin('no tenant', { signal, cost });
      try {
        await compactVerify(token.text, await this.#import(key, alg), { algorithms: [alg] });
      } catch {
        throw unauthorized();
      }
    };
    await shares.signatures.run(tenantId, 1, verify, signal);
    const verified = this.#verified.get(tenantId) ?? lastUsed<string>(mostSignatures, rememberedFor);
    this.#verified.set(tenantId, verified);
    verified.set(name, key.thumbprint);
  }

  #import(key: IssuerKey, alg: string): Promise<CryptoKey | Uint8Array> {
    const known = this.#imported.get(key) ?? new Map<string, Promise<CryptoKey | Uint8Array>>();
    this.#imported.set(key, known);
    const imported = known.get(alg) ?? importJWK({ ...key.jwk }, alg);
    known.set(alg, imported);
    return imported;
  }
}

export function hashOfToken(text: string): string {
  return hash('sha256', text, 'hex');
}
