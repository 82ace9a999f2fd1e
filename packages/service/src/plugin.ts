// The seam: what is not the core attaches here, and is named nowhere else. Rows, calls and callers of a plugin are judged by
// the same ledger, stand in the same sum of rows, and are verified with it.
//
// `withPlugins` in cli/src/program.ts lists them. The operations of a plugin answer routes of protocol/src/wire, whose endpoints
// say if they write. Each returns a `Part`: `needs(view)` names rows (`refTo(table, id)`), `judge(view)` finds them
// (`view.find(table, id)`), and returns `entries` (`tenantDraft`), `writes` (`put`, with `rev: view.entryId`) and `answer`, or
// throws `Refusal`. `changes: true` lets it replace rows. `requireKey` finds a key; `preparing` makes a part that waits. A table's
// id begins with a uuid of its own. Examples: plugins/intake, plugins/people (with a table), log/src/proofs.ts. Tests: `openTenant`
// (service/test) and test/kit/calls.ts.
import type { Context } from '@eaas/protocol';
import type { Route } from '@eaas/protocol/wire';
import type { WrappedForm } from '@eaas/protocol/internal';
import type { Secret } from './crypto/secret.ts';
import type { Need, Table, Where, Write } from './ledger/table.ts';
import type { KeyRow } from './ledger/tables.ts';
import type { View } from './ledger/decision.ts';
import type { Arrival, Caller, Part } from './operation.ts';
import type { Holder } from './rules/authorize.ts';
import type { Refusal } from './rules/refusal.ts';
import type { Service } from './service.ts';
import type { Verification } from './verify/verify.ts';

/** A feature beside the core. */
export interface Plugin {
  readonly name: string;
  /**
   * What its operations read and write, each made by `tableOf(name, id, types)`. A server has them in `postgres/tables.ts` too, and
   * creates them in a step of `postgres/steps`.
   */
  readonly tables?: readonly Table<never>[];
  /** Columns of the core's keys that a call can set when it creates one. They come last in the row. */
  readonly fields?: readonly Field[];
  /** Finds out who calls, if this plugin knows the kind of credential. Throws Refusal 401. */
  authenticate?(arrival: Arrival, service: Service): Promise<Caller> | undefined;
  /** Kinds of wrapped keys beside the service's own. */
  readonly suites?: readonly Suite[];
  /** Takes part in the calls of a request about data keys. Absent of a request that does not concern the plugin. */
  keying?(calls: readonly KeyCall[], service: Pick<Service, 'fair'>, verb: KeyVerb): Keying | undefined;
  /** Conditions of the audit log's list. */
  filters?(
    view: Pick<View, 'tenant' | 'secrets' | 'find'>,
    holder: Holder | null,
    input: Readonly<Record<string, unknown>>,
  ): readonly Where[];
  /** What is wrong with a tenant's log after an entry, which verification does not find in the tenant's rows. */
  findings?(service: Service, tenantId: string, after: number): Promise<Verification['errors']>;
  /**
   * Its operations, by routes of the endpoint table: functions of `service`, `caller`, `input` and `part`, which is what the core, or a
   * plugin before it, made of the same call. Each returns a `Part`, perhaps made of that one.
   */
  readonly endpoints?: Partial<Readonly<Record<Route, Operate>>>;
}

/** Makes what an operation needs, judges and answers. The type is a method's, so that plugins of a server can name its `Service`. */
export type Operate = {
  of(service: Service, caller: Caller, input: never, part: Part<object>): Part<object>;
}['of'];

/** A column of keys that a plugin adds. The input of the call has it by the same name. */
export interface Field<Value extends boolean | string = boolean | string> {
  readonly column: string;
  /** The value if the call does not set it. The entry of the creation has the column only if it differs. */
  readonly initial: Value;
  /** Whether records of keys show it. */
  readonly isShown: boolean;
}

/** What a row of keys, or the input of the call that creates one, has in a field. */
export const valueIn = <Value extends boolean | string>(
  row: object,
  { column, initial }: Field<Value>,
): Value => (row as Readonly<Record<string, Value | undefined>>)[column] ?? initial;

/** A call about a data key, or one item of a batch. Plugins know further fields. */
export interface KeyCall {
  readonly key_id: string;
  /** The bytes of the wrapped key that the call presents, also if it is in a ciphertext. */
  readonly wrapped?: Uint8Array | undefined;
  /** What the data key is bound to. */
  readonly context?: Context | undefined;
}

/** A plugin's part in one request: its functions share what they found. */
export interface Keying {
  /** Refuses the request, before a key is looked up. */
  check?(holder: Holder | null): void;
  /** The rows that the calls rest on. */
  needs?(view: Pick<View, 'tenant' | 'secrets' | 'find'>, holder: Holder | null): readonly Need[];
  prepare?(view: View, holder: Holder | null): Promise<void>;
  /** The key as the calls use it. Absent: as it is. */
  keyFor?(row: KeyRow): KeyRow;
  /** Says what the plugin has to do with a call whose key was found. Throws Refusal, before the key's status is judged. */
  find?(view: View, act: KeyAct): Participation | undefined;
  /** Wipes what was prepared. Called when the request has its answer. */
  end?(): void;
}

/** What a call about a data key is about. */
export interface KeyAct {
  readonly verb: KeyVerb;
  readonly call: KeyCall;
  readonly holder: Holder | null;
  readonly key: KeyRow;
  /** The key and the version that the entry names. */
  readonly named: { readonly key_id: string; readonly key_version: number };
}

export type KeyVerb = 'encrypt' | 'decrypt' | 'wrap' | 'unwrap' | 'rewrap';

/** What a plugin does in a call. */
export interface Participation {
  /** A refusal that the log records. It comes after that of the key's status. */
  readonly refused?: Refusal | undefined;
  /** What the entry says. */
  readonly logged?: Readonly<Record<string, unknown>>;
  /** What seals and opens instead of the version's own bytes. Calls that return the same object share what is derived. */
  readonly seals?: Sealing | undefined;
  /** What the first of the request's calls that succeeds writes beside. All calls that may be that one have the same object. */
  readonly creates?: Creation | undefined;
  /**
   * Opens the presented wrapped key, if it is of a foreign suite of the plugin. The caller wipes the data key. Undefined: it
   * does not open. Throws Missing.
   */
  readonly opens?: ((context: Context | undefined) => Uint8Array | undefined) | undefined;
}

/** Rows that come with an entry, and what the entry says about them. */
export interface Creation {
  writes(view: View, entryId: number): readonly Write[];
  readonly logged: Readonly<Record<string, unknown>>;
}

/**
 * Derives what seals a data key from the secret of a key version, with the same result for the same secret. `derive` is null
 * if nothing opens. A wrapped key of another form does not open.
 */
export interface Sealing {
  readonly form: WrappedForm;
  readonly derive: ((version: Secret) => Secret) | null;
}

/** A kind of wrapped key, which its first bytes name. */
export interface Suite {
  readonly form: WrappedForm;
  /**
   * Whether writers without credentials make them: they name nobody, `Participation.opens` opens them, and rewrap always gives
   * the service's own kind. The others open as `Participation.seals` says.
   */
  readonly isForeign?: true;
}
