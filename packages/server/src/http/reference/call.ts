import type { Input, Output, ProblemCode, Route } from '@eaas/protocol/wire';

/** What the reference says of a call, beside what the endpoint table knows. `about` may use `code` marks. */
export interface Call<R extends Route> {
  /** The operationId of the OpenAPI document, and the anchor on the page. */
  readonly id: string;
  readonly about: string;
  /** The problems that are this call's own; those that every call has are added. */
  readonly problems: readonly ProblemCode[];
  readonly example: { readonly input: Input<R>; readonly output: Output<R> };
}

export type Calls = { readonly [R in Route]: Call<R> };
