// The model: what a tenant is like after each entry of its log, and what a call must be answered in such a state. It knows nothing
// of queues, guesses and locks.
import type { EntryRow } from '@eaas/service';

const day = 86_400_000;

interface Key {
  readonly name: string;
  readonly status: 'active' | 'disabled' | 'pending_destruction' | 'destroyed';
  readonly version: number;
  readonly least: number;
  readonly rotateAt: number;
  readonly destroyAt: number;
}

export interface State {
  readonly keys: ReadonlyMap<string, Key>;
  /** Until when API keys and issuers may call: 0 if they are revoked. */
  readonly actors: ReadonlyMap<string, number>;
  /** Whether people are erased, by the first halves of their ids. */
  readonly people: ReadonlyMap<string, boolean>;
  readonly quota: number | null;
  readonly encrypts: number;
}

const none = { keys: new Map(), actors: new Map(), people: new Map() };
export const atFirst: State = { ...none, quota: null, encrypts: 0 };

/** The body of a call, or an item of a batch. */
export interface Input {
  readonly [member: string]: unknown;
  readonly key_id?: string;
}

/** A call. The mark is what its entries are known by: the address, or what the context says. Equal calls can share it. */
export interface Call {
  readonly doing: Doing;
  readonly inputs: readonly Input[];
  /** Who calls, as the log says it. */
  readonly actor: string;
  readonly mark: string;
  readonly token?: string;
  /** When the token of a user ends. */
  readonly until?: number;
}

/** What rules look at: the first half of the subject's id, and the version of a wrapped key. */
interface Case {
  readonly input: Input;
  readonly person: string;
  readonly version: number;
  readonly key: Key;
  readonly state: State;
  readonly time: number;
}

/** Returns a code, or `ok`, or how many are listed, with an exclamation mark if the log has an entry of it. */
type Rule = (the: Case) => string;

const change = (isNew: boolean): string => (isNew ? 'ok!' : 'ok');
const isErased = ({ state, person }: Case): boolean => state.people.get(person) === true;
const isDue = ({ key: { status, destroyAt, rotateAt }, time }: Case): boolean =>
  (status === 'active' && rotateAt <= time) || (status === 'pending_destruction' && destroyAt <= time);

function onlyIf(status: Key['status'], then: Rule = () => 'ok!'): Rule {
  return (the) => (the.key.status === status ? then(the) : 'key_state');
}

function opened(the: Case): string {
  if (isErased(the)) return 'subject_erased!';
  if (the.version < the.key.least) return 'key_state!';
  return the.version > the.key.version ? 'wrapped_key_unauthentic!' : 'ok!';
}

function revoked({ state, input }: Case): string {
  const until = state.actors.get(String(input['api_key_id'] ?? input['issuer_id']));
  return until === undefined ? 'not_found' : change(until > 0);
}

const wrap = onlyIf('active', (the) => (isErased(the) ? 'subject_erased!' : 'ok!'));
const unwrap: Rule = (the) => (['active', 'disabled'].includes(the.key.status) ? opened(the) : 'key_state!');
const isOver = ({ quota, encrypts }: State): boolean => quota !== null && encrypts >= quota;

const rules = {
  'POST /v1/keys': ({ state, input }) => {
    const isSame = ({ name, status }: Key): boolean => name === input['name'] && status !== 'destroyed';
    return [...state.keys.values()].some(isSame) ? 'name_taken' : 'ok!';
  },
  'GET /v1/keys': ({ state }) => `${state.keys.size} keys`,
  'GET /v1/keys/:key_id': () => 'ok',
  'POST /v1/keys/:key_id/wrap': wrap,
  'POST /v1/keys/:key_id/unwrap': unwrap,
  'POST /v1/keys/:key_id/rewrap': onlyIf('active', opened),
  'POST /v1/batch/wrap': wrap,
  'POST /v1/batch/unwrap': unwrap,
  'POST /v1/batch/rewrap': onlyIf('active', opened),
  'POST /v1/encrypt': onlyIf('active', ({ state }) => (isOver(state) ? 'quota_exceeded' : 'ok!')),
  'POST /v1/hash': onlyIf('active', () => 'ok'),
  'GET /v1/keys/:key_id/public-key': onlyIf('active', () => 'ok'),
  'POST /v1/keys/:key_id/rotate': onlyIf('active'),
  'POST /v1/keys/:key_id/disable': onlyIf('active'),
  'POST /v1/keys/:key_id/enable': onlyIf('disabled'),
  'DELETE /v1/keys/:key_id': onlyIf('disabled'),
  'POST /v1/keys/:key_id/restore': onlyIf('pending_destruction', (the) => (isDue(the) ? 'key_state' : 'ok!')),
  'PUT /v1/keys/:key_id/min-version': (the) => {
    const version = Number(the.input['key_version']);
    const set = onlyIf('active', ({ key }) => change(version !== key.least));
    return version > the.key.version ? 'bad_request' : set(the);
  },
  'POST /v1/subjects/show': ({ state, person }) => (state.people.has(person) ? 'ok' : 'not_found'),
  'POST /v1/subjects/erase': (the) => change(!isErased(the)),
  'POST /v1/api-keys': () => 'ok!',
  'DELETE /v1/api-keys/:api_key_id': revoked,
  'POST /v1/issuers': () => 'ok!',
  'DELETE /v1/issuers/:issuer_id': revoked,
  'GET /v1/audit/verify': () => 'ok',
  'set the quota': ({ state, input }) => change(state.quota !== input['monthly_encrypt_quota']),
  'settle a key': (the) => change(isDue(the)),
} as const satisfies Readonly<Record<string, Rule>>;

export type Doing = keyof typeof rules;

/** Whether a call only reads, and so waits for no entry. */
export const isRead = (doing: Doing): boolean => /^GET|hash$|show$/.test(doing);

/** What a caller must be told in a state, at a time of the database. */
export function verdictOn({ doing, actor, until = Infinity }: Call, the: Omit<Case, 'key'>): string {
  const { state, time, input } = the;
  const mayUntil = /operator|system/.test(actor) ? Infinity : (state.actors.get(actor) ?? 0);
  if (Math.min(mayUntil, until) <= time) return 'unauthorized';
  const key = state.keys.get(input.key_id ?? '');
  return input.key_id !== undefined && !key ? 'not_found' : rules[doing]({ ...the, key: key as Key });
}

type Told = Readonly<Record<string, unknown>>;

export const toldBy = ({ metadata }: EntryRow): Told => JSON.parse(metadata) as Told;

const timeOf = (text: unknown): number => (typeof text === 'string' ? Date.parse(text) : Infinity);

/** What entries say of their keys. */
const ofKeys: Readonly<Record<string, (told: Told, time: number, key: Key | undefined) => Partial<Key>>> = {
  'key.create': ({ name, interval_days }, time) => {
    const first = { status: 'active', version: 1, least: 1, destroyAt: Infinity } as const;
    return { ...first, name: String(name), rotateAt: interval_days ? time + day : Infinity };
  },
  'key.rotate': ({ key_version }, time, key) => ({
    version: Number(key_version),
    rotateAt: key?.rotateAt === Infinity ? Infinity : time + day,
  }),
  'key.disable': () => ({ status: 'disabled' }),
  'key.enable': () => ({ status: 'active' }),
  'key.restore': () => ({ status: 'disabled' }),
  'key.destroy': ({ erased, destroy_at }) =>
    erased ? { status: 'destroyed' } : { status: 'pending_destruction', destroyAt: timeOf(destroy_at) },
  'key.min_version': ({ min_version }) => ({ least: Number(min_version) }),
};

/** What a tenant is like after an entry. */
export function after(state: State, entry: EntryRow): State {
  const told = toldBy(entry);
  const { action, key_id, created_at: time } = entry;
  if (told['outcome'] === 'refused') return state;
  const key = state.keys.get(key_id ?? '');
  const ofKey = ofKeys[action]?.(told, time, key);
  if (ofKey) return { ...state, keys: new Map(state.keys).set(key_id ?? '', { ...key, ...ofKey } as Key) };
  const actorId = String(told['api_key_id'] ?? told['issuer_id']);
  const until = (end: number): State => ({ ...state, actors: new Map(state.actors).set(actorId, end) });
  if (/^(?:api_key|issuer)\.create$/.test(action)) return until(timeOf(told['expires_at']));
  if (/^(?:api_key|issuer)\.revoke$/.test(action)) return until(0);
  const isErasure = action === 'subject.erase';
  const person = String(told['subject']).slice(0, 32);
  if (isErasure || told['subject_created']) {
    return { ...state, people: new Map(state.people).set(person, isErasure) };
  }
  if (action === 'encrypt') return { ...state, encrypts: state.encrypts + 1 };
  if (action !== 'tenant.update') return state;
  const { monthly_encrypt_quota: quota } = told['changes'] as Record<string, { readonly new: number | null }>;
  return { ...state, quota: quota?.new ?? null };
}
