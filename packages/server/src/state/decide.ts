import {
  auditUnwritten,
  type Draft,
  type Holder,
  loggedIdLength,
  quotaExceeded,
  tenantDraft,
  unauthorized,
} from '@eaas/protocol/service';
import type { Service } from '../app/service.ts';
import { Refusal } from '../base/refusal.ts';
import { traced } from '../base/tracing.ts';
import { idOfPerson } from '../crypto/key-hierarchy.ts';
import { withDeadline } from '../store/database.ts';
import { isDatabaseFault } from '../store/faults.ts';
import { authorize, type Caller, isExpired, type Standing } from './caller.ts';
import { commit } from './commit.ts';
import { noSuchTenant, type Outcome, Receipts, StateMoved, type TenantState } from './tenant-view.ts';
import { timeLimit } from '../base/time-limit.ts';

/** What a decision may rely on. */
export interface Facts {
  readonly state: TenantState;
  readonly apiKey: Holder | null;
  readonly time: number;
}

/** The least that an entry takes of its share of 32 MiB, so that 20,000 entries fill the share. */
const leastUnits = Math.ceil((32 * 1024 * 1024) / 20_000);

interface Decision<Answer> {
  readonly drafts: readonly Draft[];
  /** The answer, or a function that makes it with the receipts of the drafts, in their order. */
  readonly answer: Answer | Refusal | ((receipts: Receipts | undefined) => Answer);
  readonly isEncrypt?: boolean;
}

type Judge<Answer> = (facts: Facts) => Decision<Answer> | Promise<Decision<Answer>>;

/** When a call that begins now must have its answer. The limit includes all waits. */
export const deadlineFrom = (start = performance.now()): number => start + timeLimit(4_500);

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
  const deadline = deadlineFrom();
  let standing = caller.admitted;
  for (;;) {
    if (performance.now() > deadline) throw auditUnwritten();
    if (!standing || !isPresent(standing)) standing = await lookUp(service, caller);
    const { view, state, apiKey } = standing;
    const time = service.clock.now();
    const mayStill = standing === caller.admitted && !(apiKey && isExpired(apiKey, time));
    const decision = await rule({ state, apiKey, time }, mayStill ? null : caller, judge);
    if (!decision || !view.stands(state)) continue;
    const { drafts, answer, isEncrypt = false } = decision;
    let outcome: Outcome | undefined;
    if (drafts.length > 0) {
      const validUntil = apiKey?.expires_at ?? null;
      const wait = () =>
        traced('audit.append', (span) => {
          span?.setAttribute('eaas.entries', drafts.length);
          return commit(service, view, caller, { state, drafts, validUntil, isEncrypt, span }, deadline);
        });
      const { entries } = service.admission.shares;
      outcome = await entries.run(caller.tenantId, unitsOf(drafts), wait, caller.signal);
      if (outcome === 'moved') continue;
    }
    const receipts = outcome instanceof Receipts && caller.visit ? outcome : undefined;
    if (!(outcome instanceof Receipts)) {
      const confirmed = await available(() => before(deadline, view.confirm(caller.arrivedAt)));
      if (!view.stands(state)) continue;
      // `decide` used an estimated time. If the API key expires between the estimated time and the database's time, the
      // loop repeats the decision.
      if (apiKey && isExpired(apiKey, time) !== isExpired(apiKey, confirmed)) continue;
      if (outcome === 'over_quota') throw quotaExceeded();
    }
    if (typeof answer === 'function') return (answer as (receipts: Receipts | undefined) => Answer)(receipts);
    if (receipts && caller.visit) caller.visit.receipt = receipts.of(0);
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
  const deadline = deadlineFrom(caller.credential ? caller.arrivedAt : undefined);
  const decision = decide(service, caller, async (facts) => ({ drafts: [], answer: await read(facts) }));
  return available(() => before(deadline, decision));
}

function before<T>(deadline: number, work: Promise<T>): Promise<T> {
  return withDeadline(work, Math.max(0, Math.round(deadline - performance.now())));
}

const isPresent = ({ view, state }: Standing): boolean => view.stands(state) && !view.isChanging;

async function lookUp(service: Service, caller: Caller): Promise<Standing> {
  const found = await find(service, caller);
  if (!found.view.isChanging) return found;
  await found.view.afterChange();
  return find(service, caller);
}

function find({ tenants }: Service, caller: Caller): Promise<Standing> {
  const { credential, tenantId } = caller;
  return available(async () => {
    if (credential) {
      const found = credential.token
        ? await tenants.signIns.find(credential.token, caller)
        : await tenants.tokens.find(credential.tokenHash);
      if (!found) throw unauthorized();
      return found;
    }
    const view = await tenants.view(tenantId);
    if (!view) throw noSuchTenant();
    return { view, state: view.state, apiKey: null };
  });
}

/** Returns undefined if the state has moved. Authorises the caller, unless `admit` has done so in the same state. */
async function rule<Answer>(
  facts: Facts,
  caller: Caller | null,
  judge: Judge<Answer>,
): Promise<Decision<Answer> | undefined> {
  try {
    if (caller && facts.apiKey) authorize(facts.state, facts.apiKey, caller, facts.time);
    return await judge(facts);
  } catch (error) {
    if (error instanceof StateMoved) return undefined;
    if (!(error instanceof Refusal)) throw unavailableIfFault(error);
    const entry = error.code === 'envelope_only' ? envelopeOnlyRefused(facts) : error.entry?.(1);
    return { drafts: entry ? [entry] : [], answer: error };
  }
}

function envelopeOnlyRefused({ state, apiKey }: Facts): Draft {
  const user =
    apiKey?.signIn && idOfPerson(state.secrets.users, apiKey.signIn.subject).slice(0, loggedIdLength);
  return tenantDraft('envelope_only.refused', { code: 'envelope_only', outcome: 'refused', user });
}

/** Runs `work`. A fault of the database becomes a refusal that says so. */
export async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailableIfFault(error);
  }
}

function unavailableIfFault(error: unknown): unknown {
  if (error instanceof Refusal || error instanceof StateMoved || !isDatabaseFault(error)) return error;
  return new Refusal('unavailable', 'The service cannot reach its database. Try again in a moment.');
}

function unitsOf(drafts: readonly Draft[]): number {
  return drafts.reduce((units, { metadata }) => units + Math.max(leastUnits, Buffer.byteLength(metadata)), 0);
}
