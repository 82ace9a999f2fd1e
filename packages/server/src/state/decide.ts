import type { Caller } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import { isDatabaseFault } from '../store/faults.ts';
import { drain } from './append.ts';
import { authorize, unauthorized } from './authorize.ts';
import type { Draft, Outcome } from './queue.ts';
import { StateMoved, type TenantState } from './tenant-state.ts';
import type { TenantView } from './tenants.ts';

/** What a judgement rests on. */
export interface Facts {
  readonly state: TenantState;
  /** The caller's API key; null for the operator and the jobs. */
  readonly apiKey: ApiKeyRow | null;
  readonly time: number;
}

/** A judgement: what is to be recorded, and what is answered once it is. */
interface Ruling<Answer> {
  readonly drafts: readonly Draft[];
  readonly answer: Answer | Refusal;
  readonly isEncrypt?: boolean;
}

type Judge<Answer> = (facts: Facts) => Ruling<Answer> | Promise<Ruling<Answer>>;

/** How long a request may take until it is answered that its entry could not be written. */
const patience = 4_500;

/**
 * Judges a request by what this replica remembers, and makes sure before answering that it was still so: a ruling
 * with entries by appending them, which fails when the state has moved, and any other by a read that began after
 * the request arrived. Until then it is judged again.
 */
export async function decide<Answer>(
  service: Service,
  caller: Caller,
  judge: Judge<Answer>,
): Promise<Answer> {
  // Counted from here, not from the request's arrival: a large body may have been long on its way.
  const deadline = performance.now() + patience;
  for (;;) {
    if (performance.now() > deadline) throw unwritten();
    const { view, apiKey } = await lookUp(service, caller);
    const { state } = view;
    const time = Math.max(service.clock(), view.head.created_at);
    const ruling = await rule({ state, apiKey, time }, caller, judge);
    if (!ruling || !service.tenants.stands(view, state)) continue;
    const { drafts, answer, isEncrypt = false } = ruling;
    if (drafts.length > 0) {
      const outcome = await enqueue(service, view, caller, { state, drafts, apiKey, isEncrypt, deadline });
      if (outcome === 'moved') continue;
      if (outcome === 'over_quota') {
        await confirm(service, view, caller);
        if (service.tenants.stands(view, state)) throw overQuota();
        continue;
      }
    } else {
      await confirm(service, view, caller);
      if (!service.tenants.stands(view, state)) continue;
    }
    if (answer instanceof Refusal) throw answer;
    return answer;
  }
}

/** The caller's tenant and API key. Throws 401 where the token names none, 503 where the database does not say. */
async function lookUp(
  service: Service,
  caller: Caller,
): Promise<{ view: TenantView; apiKey: ApiKeyRow | null }> {
  return available(async () => {
    const { credential, tenantId } = caller;
    if (!credential) {
      const view = await service.tenants.view(tenantId);
      if (!view) throw new Refusal('not_found', 'There is no such tenant.');
      return { view, apiKey: null };
    }
    const found = await service.tenants.findByToken(credential.tokenHash);
    if (!found) throw unauthorized();
    return found;
  });
}

async function rule<Answer>(
  facts: Facts,
  caller: Caller,
  judge: Judge<Answer>,
): Promise<Ruling<Answer> | undefined> {
  try {
    if (facts.apiKey) authorize(facts.state, facts.apiKey, caller, facts.time);
    return await available(async () => judge(facts));
  } catch (error) {
    if (error instanceof StateMoved) return undefined;
    if (!(error instanceof Refusal)) throw error;
    return { drafts: error.code === 'envelope_only' ? [envelopeOnlyRefused] : [], answer: error };
  }
}

const envelopeOnlyRefused: Draft = {
  action: 'envelope_only.refused',
  keyId: null,
  keyVersion: null,
  metadata: '{"code":"envelope_only","outcome":"refused"}',
};

async function confirm(service: Service, view: TenantView, caller: Caller): Promise<void> {
  await available(() => service.tenants.confirm(view, caller.arrivedAt));
}

function enqueue(
  service: Service,
  view: TenantView,
  caller: Caller,
  ruling: {
    state: TenantState;
    drafts: readonly Draft[];
    apiKey: ApiKeyRow | null;
    isEncrypt: boolean;
    deadline: number;
  },
): Promise<Outcome> {
  const { state, drafts, apiKey, isEncrypt, deadline } = ruling;
  const { tenantId } = caller;
  service.waiting.enter(tenantId, drafts.length);
  return new Promise<Outcome>((resolve, reject) => {
    const finish = (end: () => void): void => {
      if (item.gone) return;
      item.gone = true;
      clearTimeout(timer);
      service.waiting.leave(tenantId, drafts.length);
      end();
    };
    const item = {
      state,
      drafts,
      actor: caller.actor,
      ipAddress: caller.ipAddress,
      validUntil: apiKey?.expires_at ?? null,
      isEncrypt,
      gone: false,
      settle: (outcome: Outcome) => finish(() => resolve(outcome)),
      fail: (error: unknown) => finish(() => reject(unwritten(error))),
    };
    const timer = setTimeout(item.fail, Math.max(0, deadline - performance.now()));
    view.queue.waiting.push(item);
    void drain(service, view);
  });
}

/** Runs what needs the database to know something; where it does not answer, that is 503. */
export async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal || error instanceof StateMoved || !isDatabaseFault(error)) throw error;
    throw new Refusal('unavailable', 'The service cannot reach its database; try again in a moment.');
  }
}

function unwritten(cause?: unknown): Refusal {
  const refusal = new Refusal(
    'audit_unwritten',
    'The audit entry could not be written in time, so nothing was done; try again in a moment.',
  );
  refusal.cause = cause;
  return refusal;
}

function overQuota(): Refusal {
  return new Refusal(
    'quota_exceeded',
    "This month's quota of encrypt operations is used up. Envelope mode (wrap and unwrap) has no quota; to raise it, ask the operator.",
  );
}
