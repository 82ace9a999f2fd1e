import { type Draft, unauthorized } from '@eaas/protocol/service';
import type { Service } from '../app/service.ts';
import { Refusal, Tampered } from '../base/refusal.ts';
import { type ApiKeyRow, apiKeyTable, findApiKeyByToken } from '../store/api-keys.ts';
import { appendLink, type Link, NotWritten } from '../store/append.ts';
import {
  DatabaseSlow,
  isDatabaseError,
  isDatabaseFault,
  isDuplicate,
  isLockTimeout,
} from '../store/faults.ts';
import { type HeadRow, headTable, lockHead } from '../store/heads.ts';
import { together, type Transaction } from '../store/sql.ts';
import { findTenant } from '../store/tenants.ts';
import { authorize, type Caller } from './caller.ts';
import { beginLink } from './chain.ts';
import { noteUnwritten } from './commit.ts';
import { deadlineFrom } from './decide.ts';
import { checkedHead } from './heads.ts';
import { authentic, openTenant } from './integrity.ts';
import { noSuchTenant, type Position, receiptOf, TenantState } from './tenant-view.ts';

export interface Change {
  readonly state: TenantState;
  readonly head: HeadRow;
  readonly apiKey: ApiKeyRow | null;
  /** The database's time, read after the head was locked. */
  readonly time: number;
  readonly entryId: number;
}

interface Work<Loaded, Answer extends object | string> {
  /**
   * Reads the data that `decide` needs. The queries are sent after the lock of the head, in the same round trip. The
   * service has not yet checked that the caller is authorised.
   */
  readonly load: (tx: Transaction) => Promise<Loaded>;
  readonly decide: (change: Change, loaded: Loaded) => DecidedChange<Answer>;
}

interface DecidedChange<Answer extends object | string> {
  readonly draft: Draft | null;
  /** The row that the change writes. */
  readonly rowId: string;
  /** The answer, or a function that makes it of the change's entry. */
  readonly answer: Answer | ((entry: Position) => Answer);
  /**
   * Sends the statements of the change in the same round trip as the append of its audit entry. If `draft` is null, the
   * change has no effect and `write` is not called.
   */
  readonly write: (tx: Transaction, entry: Position) => readonly Promise<void>[];
}

/**
 * The progress of a change. `open`: the caller is authorised. `sent`: the statements were sent to the database, and
 * were perhaps committed.
 */
type Stage = 'opening' | 'open' | 'sent';

/** The change gives the tenant a new `state_id`, so that appends of replicas with outdated data fail. */
export function change<Loaded, Answer extends object | string>(
  service: Service,
  caller: Caller,
  work: Work<Loaded, Answer>,
): Promise<Answer> {
  const { tenantId, signal } = caller;
  const deadline = deadlineFrom();
  const run = (): Promise<Answer> => {
    const view = service.tenants.remembered.views.get(tenantId);
    const inTurn = () => changeInTurn(service, caller, work, deadline);
    return view ? view.changing(inTurn) : inTurn();
  };
  return service.admission.shares.changes.run(tenantId, 1, run, signal);
}

/**
 * Repeats a change if its transaction has lost the lock of the log's head, for example because Citus moved the shard.
 * The time limit of the change ends the loop.
 */
async function changeInTurn<Loaded, Answer extends object | string>(
  service: Service,
  caller: Caller,
  work: Work<Loaded, Answer>,
  deadline: number,
): Promise<Answer> {
  for (;;) {
    try {
      return await changeOnce(service, caller, work, deadline);
    } catch (error) {
      if (!(error instanceof NotWritten)) throw error;
    }
  }
}

async function changeOnce<Loaded, Answer extends object | string>(
  service: Service,
  caller: Caller,
  { load, decide }: Work<Loaded, Answer>,
  deadline: number,
): Promise<Answer> {
  let stage = 'opening' as Stage;
  try {
    const run = async (tx: Transaction) => {
      const [open, loaded] = await openChange(service, tx, caller, load);
      stage = 'open';
      const { draft, rowId, answer, write } = decide(open, loaded);
      const answerFor = (entry: Position) => (typeof answer === 'function' ? answer(entry) : answer);
      if (!draft) return { answer: answerFor(open.head), done: null };
      const link = linkOf(open, caller, draft);
      const rows = { row_records: [{ row_id: rowId, rev: open.entryId }] };
      const [, { outcome }] = await together([
        together(write(tx, link.next)),
        appendLink(tx, caller.tenantId, { ...link, rows }, open.time),
      ]);
      if (outcome !== 'written') throw new NotWritten(outcome);
      stage = 'sent';
      return { answer: answerFor(link.next), done: { before: open.state, head: link.next, rowId } };
    };
    const { answer, done } = await service.database.transaction(run, 4_000, deadline);
    if (done) {
      service.tenants.changed(done.before, done.head, done.rowId);
      if (caller.visit) caller.visit.receipt = receiptOf(done.head);
    }
    return answer;
  } catch (error) {
    if (stage === 'sent') service.tenants.forget(caller.tenantId);
    const refusal = error instanceof Refusal ? error : refusalFor(error, stage);
    if (refusal.code === 'audit_unwritten') noteUnwritten(service, error);
    throw refusal;
  }
}

function refusalFor(error: unknown, stage: Stage): Refusal {
  // If the connection is lost after the entry was sent, the service cannot know whether the transaction was
  // committed.
  if (stage === 'sent')
    return unwritten(
      error,
      'The change and its audit entry might have been written. Read the current state before you repeat the change.',
    );
  if (isDuplicate(error)) {
    return new Refusal(
      'conflict',
      'Another request changed the same data first: read the data again, and then repeat the change.',
    );
  }
  const isLate = error instanceof DatabaseSlow || isLockTimeout(error);
  if (isLate || (stage === 'open' && isDatabaseFault(error))) {
    return unwritten(
      error,
      'Nothing was changed, because the database did not respond in time, the connection to it was lost, or another ' +
        'session has locked the audit log. Try again in a moment.',
    );
  }
  if (isDatabaseFault(error)) {
    return new Refusal(
      'unavailable',
      'The service cannot reach its database, so nothing was changed. Try again in a moment.',
    );
  }
  if (isDatabaseError(error))
    return unwritten(error, 'The change and its audit entry could not be written: try again in a moment.');
  throw error;
}

function unwritten(cause: unknown, detail: string): Refusal {
  return new Refusal('audit_unwritten', detail, { cause });
}

async function openChange<Loaded>(
  { tenants }: Service,
  tx: Transaction,
  caller: Caller,
  load: Work<Loaded, object | string>['load'],
): Promise<[Change, Loaded]> {
  const { tenantId, credential } = caller;
  // No permission of a user is one for a change, so a token never comes here.
  if (credential?.token) throw unauthorized();
  const [row, tenant, found, loaded] = await together([
    tenants.seeHead(tx, tenantId, lockHead),
    findTenant(tx, tenantId),
    credential && findApiKeyByToken(tx, tenantId, credential.tokenHash),
    load(tx),
  ]);
  if (!tenant) throw credential ? unauthorized() : noSuchTenant();
  if (!row) throw new Tampered(headTable.name, tenantId, tenantId);
  const state = new TenantState(row, openTenant(tenants.roots, tenant));
  const head = checkedHead(state.secrets, tenantId, row);
  const apiKey = (found && authentic(state.secrets, apiKeyTable, found)) ?? null;
  if (credential && !apiKey) throw unauthorized();
  if (apiKey) authorize(state, apiKey, caller, row.now);
  return [{ state, head, apiKey, time: row.now, entryId: head.id + 1 }, loaded];
}

function linkOf({ state, head, time }: Change, caller: Caller, draft: Draft): Link {
  const link = beginLink(state, head, Math.max(time, head.created_at));
  link.add(caller, draft);
  // The entry can use the MAC keys from before the change, because no change of a tenant alters these keys.
  return link.complete(({ id, hash }) => ({ state_id: id, state_hash: hash }));
}
