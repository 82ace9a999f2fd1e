// The report on a person, for `audit.report` of every client. What lists the entries is loaded with the first report.
import { InputError } from '@eaas/protocol/internal-core';
import { requireOptions } from '@eaas/protocol/internal-options';
import type { Input } from '@eaas/protocol/wire';
import { load, unreadable } from '../errors.ts';
import type { Call } from '../transport/transport.ts';
import type { ListOptions } from '../audit/list.ts';
import type { ReportRow } from '../audit/report-rows.ts';

/** The audit log as a signed-in user may read it. The issuer needs the permission `audit.own`. */
export interface OwnLog {
  /**
   * Yields what happened with the data of the signed-in user, newest first: the time, the action, the id of the user who
   * acted and the outcome. Throws InputError for a client without `issuer` and `token`.
   */
  report(options?: ListOptions): AsyncGenerator<ReportRow, void, undefined>;
}

export async function* report(
  call: Call,
  signsIn: boolean,
  options: ListOptions = {},
  name?: Input<'POST /v1/subjects/show'>,
): AsyncGenerator<ReportRow, void, undefined> {
  const { reportOn } = await load('audit', import('../audit/list.ts'));
  yield* reportOn(call, name, options, signsIn, { InputError, requireOptions, unreadable });
}
