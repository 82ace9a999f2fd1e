import { auditUnwritten, type Draft, quotaExceeded, unauthorized } from '@eaas/protocol/service';
import { entryUnits } from '../admission/admission.ts';
import type { Caller } from '../base/caller.ts';
import { Refusal } from '../base/refusal.ts';
import type { Service } from '../app/service.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import { withDeadline } from '../store/deadline.ts';
import { isDatabaseFault } from '../store/faults.ts';
import { traced } from '../base/tracing.ts';
import { drain } from './append.ts';
import { authorize, isExpired } from './authorize.ts';
import { draftBytes } from './chain.ts';
import type { Outcome, Waiting } from './queue.ts';
import { noSuchTenant, StateMoved, type TenantState } from './tenant-state.ts';
import type { TenantView } from './tenant-view.ts';

export interface Facts {
  readonly state: TenantState;
  readonly apiKey: ApiKeyRow | null;
  readonly time: number;
}

interface Decision<Answer> {
  readonly drafts: readonly Draft[];
  readonly answer: Answer | Refusal;
  readonly isEncrypt?: boolean;
}

type Judge<Answer> = (facts: Facts) => Decision<Answer> | Promise<Decision<Answer>>;

/** The time limit of a call, in milliseconds, which includes all waits. */
export const patience = 4_500;

/**
 * Decides with cached data. If the cached data are outdated, the append of the audit entry fails. If the decision
 * appends no entry, a read from the database confirms the cached data.
 */
export async function decide<Answer>(
  service: Service,
  caller: Caller,
  judge: Judge<Answer>,
): Promise<Answer> {
  // The time limit begins now and not at the request's arrival, because the request's body can take long to arrive.
  const deadline = performance.now() + patience;
  for (;;) {
    if (performance.now() > deadline) throw auditUnwritten();
    const { view, apiKey } = await lookUpAfterChange(service, caller);
    const { state } = view;
    const time = service.clock.now();
    const decision = await available(() => rule({ state, apiKey, time }, caller, judge));
    if (!decision || !view.stands(state)) continue;
    const { drafts, answer, isEncrypt = false } = decision;
    let outcome: Outcome | undefined;
    if (drafts.length > 0) {
      const validUntil = apiKey?.expires_at ?? null;
      const wait = () =>
        traced('audit.append', (span) => {
          span?.setAttribute('eaas.entries', drafts.length);
          const ruled = { state, drafts, validUntil, isEncrypt, span };
          return enqueue(service, view, caller, ruled, deadline);
        });
      const { entries } = service.admission.shares;
      outcome = await entries.run(caller.tenantId, entryUnits(drafts), wait, caller.signal);
      if (outcome === 'moved') continue;
    }
    if (outcome !== 'written') {
      const confirmed = await available(() => before(deadline, view.confirm(caller.arrivedAt)));
      if (!view.stands(state)) continue;
      // `decide` used an estimated time. If the API key expires between the estimated time and the database's time, the
      // loop repeats the decision.
      if (apiKey && isExpired(apiKey, time) !== isExpired(apiKey, confirmed)) continue;
      if (outcome === 'over_quota') throw quotaExceeded();
    }
    if (answer instanceof Refusal) throw answer;
    return answer;
  }
}

/** Runs `read` with a time limit. For a request of a client, the limit begins when the request arrives. */
export function decideRead<Answer>(
  service: Service,
  caller: Caller,
  read: (facts: Facts) => Promise<Answer>,
): Promise<Answer> {
  const deadline = (caller.credential ? caller.arrivedAt : performance.now()) + patience;
  const decision = decide(service, caller, async (facts) => ({ drafts: [], answer: await read(facts) }));
  return available(() => before(deadline, decision));
}

function before<T>(deadline: number, work: Promise<T>): Promise<T> {
  return withDeadline(work, Math.max(0, Math.round(deadline - performance.now())));
}

async function lookUpAfterChange(service: Service, caller: Caller) {
  const found = await lookUp(service, caller);
  if (!found.view.queue.isChanging) return found;
  await found.view.queue.afterChange();
  return lookUp(service, caller);
}

async function lookUp({ tenants }: Service, { credential, tenantId }: Caller) {
  return available(async () => {
    if (credential) {
      const found = await tenants.tokens.find(credential.tokenHash);
      if (!found) throw unauthorized();
      return found;
    }
    const view = await tenants.view(tenantId);
    if (!view) throw noSuchTenant();
    return { view, apiKey: null };
  });
}

async function rule<Answer>(
  facts: Facts,
  caller: Caller,
  judge: Judge<Answer>,
): Promise<Decision<Answer> | undefined> {
  try {
    if (facts.apiKey) authorize(facts.state, facts.apiKey, caller, facts.time);
    return await judge(facts);
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

function enqueue(
  service: Service,
  view: TenantView,
  { actor, ipAddress, signal }: Caller,
  ruling: Pick<Waiting, 'state' | 'drafts' | 'validUntil' | 'isEncrypt' | 'span'>,
  deadline: number,
): Promise<Outcome> {
  const { state, drafts } = ruling;
  if (!view.stands(state)) return Promise.resolve('moved');
  const left = deadline - performance.now();
  if (left <= 0) return Promise.reject(auditUnwritten());
  service.counts.waiting += drafts.length;
  return new Promise<Outcome>((resolve, reject) => {
    const finish = (end: () => void): void => {
      if (item.gone) return;
      item.gone = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      service.counts.waiting -= drafts.length;
      end();
    };
    const item = {
      ...ruling,
      bytes: drafts.reduce((sum, draft) => sum + draftBytes(draft), 0),
      actor,
      ipAddress,
      gone: false,
      settle: (outcome: Outcome) => finish(() => resolve(outcome)),
      fail: (error: unknown) => finish(() => reject(auditUnwritten(error))),
    };
    const giveUp = (): void => item.fail(undefined);
    const timer = setTimeout(giveUp, left);
    signal?.addEventListener('abort', giveUp);
    view.queue.waiting.push(item);
    void drain(service, view);
  });
}

export async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal || error instanceof StateMoved || !isDatabaseFault(error)) throw error;
    throw new Refusal('unavailable', 'The service cannot reach its database. Try again in a moment.');
  }
}
