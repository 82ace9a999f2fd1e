// How a call of the API becomes a decision: who calls, what it asks for, and what the operation adds.
import { refusalOf } from '@eaas/protocol/internal-service';
import type { Input, Output, Route } from '@eaas/protocol/wire';
import { type Author, prepared, type Verdict, type View } from './ledger/decision.ts';
import type { Need } from './ledger/table.ts';
import type { Holder, RequestedCall } from './rules/authorize.ts';
import type { Refusal } from './rules/refusal.ts';
import type { Service } from './service.ts';

/** What a request says before its body is read: the call, and about its sender. */
export interface Arrival {
  readonly route: Route;
  readonly authorization: string | undefined;
  readonly origin: string | undefined;
  /** Any other header, by its name in lower case. Repeated ones are joined by commas. */
  readonly header: (name: string) => string | undefined;
  readonly ipAddress: string | null;
  readonly signal?: EndSignal | undefined;
}

/** Tells that a caller has gone. An AbortSignal is one. */
export interface EndSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Who calls: the holder of an API key, a user, the operator, or the service itself. */
export interface Caller extends Author {
  readonly tenantId: string;
  readonly signal?: EndSignal | undefined;
  /** What is asked for. Null for the operator and the service, who may do everything. */
  readonly asks: RequestedCall | null;
  /** The rows that the rights rest on. */
  readonly needs: readonly Need[];
  /** The rights as the rows give them. Throws Refusal 401, or Missing. */
  holder(view: Pick<View, 'find' | 'now' | 'tenant' | 'secrets'>): Holder | null;
  /** Finds out what `holder` needs and no row has, like a signature that holds. */
  prepare?(view: View): Promise<void>;
  /** Whether answers show what concerns only the caller: absent, all of it. */
  readonly isUser?: true;
}

/** The operator, or the service itself, as a caller. */
export const insider = (tenantId: string, actor: 'operator' | 'system'): Caller => ({
  tenantId,
  actor,
  ipAddress: null,
  asks: null,
  needs: [],
  holder: () => null,
});

/** What an operation adds to a decision whose caller is authorised. Whether it may write, its endpoint says. */
export interface Part<Answer> {
  /** Whether the items of the answer have the receipts. */
  readonly isBatch?: true;
  /** Whether it can replace rows. */
  readonly changes?: true;
  /** The rows that `judge` will ask for, where one read of all of them saves many. */
  needs?(view: Pick<View, 'tenant' | 'secrets' | 'find' | 'now'>, holder: Holder | null): readonly Need[];
  prepare?(view: View, holder: Holder | null): Promise<void>;
  judge(view: View, holder: Holder | null): Verdict<Answer>;
  /** What the call goes on with, in a decision of its own, when this one is committed. Undefined: it has its answer. */
  rest?(): Part<Answer> | undefined;
  /** Called when the call has its answer, or has none. */
  end?(): void;
}

/** A part whose whole answer is prepared, because to make it takes long. */
export function preparing<Answer>(
  prepare: (view: View, holder: Holder | null) => Promise<Answer>,
): Part<Answer> {
  let answer: Answer | Refusal | undefined;
  return {
    async prepare(view, holder) {
      answer ??= await prepare(view, holder).catch(refusalOf);
    },
    judge: () => ({ entries: [], answer: prepared(answer) }),
  };
}

/** The operations of the API. */
export type Operations = {
  readonly [R in Route]: (service: Service, caller: Caller, input: Input<R>) => Part<Output<R>>;
};
