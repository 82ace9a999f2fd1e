// The table of all endpoints, joined from its groups. Services, clients, commands and the reference are made from it.
import type * as z from 'zod/mini';
import { apiKeys } from './api-keys.ts';
import { audit } from './audit.ts';
import { batches } from './batches.ts';
import { dataKeys } from './data-keys.ts';
import type { InputOf } from './endpoint.ts';
import { issuers } from './issuers.ts';
import { keys } from './keys.ts';
import { serverMode } from './server-mode.ts';
import { subjects } from './subjects.ts';
import { usage } from './usage.ts';

/** All endpoints of the API, by method and path. */
export const endpoints = {
  ...serverMode,
  ...keys,
  ...dataKeys,
  ...batches,
  ...subjects,
  ...audit,
  ...apiKeys,
  ...issuers,
  ...usage,
};

/** An endpoint's method and path, for example `POST /v1/keys/:key_id/wrap`. */
export type Route = keyof typeof endpoints;

/** The input of a call: the fields of its path, query and body. */
export type Input<R extends Route> = InputOf<R, (typeof endpoints)[R]>;

/** The type of one item in a batch request. */
export type Item<R extends Route> = (typeof endpoints)[R] extends {
  readonly item: infer Schema extends z.ZodMiniType;
}
  ? z.output<Schema>
  : never;

/** The body of a call's response. */
export type Output<R extends Route> = z.output<(typeof endpoints)[R]['output']>;
