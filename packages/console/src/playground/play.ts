// What the five steps share: the key, the value of the first one, and a client without a cache, whose requests are recorded.
import type { Bundle, EaasClient } from '@eaas/sdk';
import { type Signal, signal } from '@preact/signals';
import { clientOf, type Session } from '../session.ts';
import { createRecorder, type Recorded, type Recorder } from './exchanges.ts';
import { findOwnKey, keyName, type OwnKey, unusableOf } from './own-key.ts';

export interface Sealed {
  readonly value: string;
  readonly bundle: Bundle;
  /** Where the value belongs, and whose it is. */
  readonly belongsTo: ReturnType<typeof newOwner>;
}

export interface Play {
  readonly keyId: string;
  readonly session: Session;
  readonly recorder: Recorder;
  readonly eaas: EaasClient;
  readonly value: Signal<string>;
  readonly sealed: Signal<(Recorded<Sealed> & { readonly ok: true }) | undefined>;
}

/** What each step after the first starts from. */
export interface Played {
  readonly play: Play;
  readonly sealed: Sealed;
}

/** Row 42 and a person who is made up, because the last step erases this person. */
export function newOwner() {
  return { context: { table: 'users', row: '42' }, subject: `playground-${crypto.randomUUID()}` };
}

const plays = new WeakMap<Session, Promise<Play>>();

/**
 * Returns the session's play, or else the playground's own key as it is now. The user must agree before the playground
 * creates or uses its key, because the tenant might be in production and a key of somebody else can have the name. A
 * tenant for development needs no agreement.
 */
export async function findPlay(session: Session): Promise<Play | OwnKey> {
  const open = plays.get(session);
  if (open) return open;
  const found = await findOwnKey(session.client);
  return session.isDevelopment && !unusableOf(found) ? startPlay(session, found) : found;
}

export function startPlay(session: Session, found: OwnKey): Promise<Play> {
  const play = plays.get(session) ?? newPlay(session, found);
  plays.set(session, play);
  play.catch(() => plays.delete(session));
  return play;
}

export function isPlay(found: Play | OwnKey): found is Play {
  return 'eaas' in found;
}

async function newPlay(session: Session, { key }: OwnKey): Promise<Play> {
  const { key_id: keyId } = key ?? (await session.client.keys.create({ name: keyName }));
  const { baseUrl, fetch } = session.service;
  const recorder = createRecorder(fetch);
  const more = { baseUrl, keyId, fetch: recorder.fetch, cache: { encrypt: false, decrypt: false } } as const;
  return {
    keyId,
    session,
    recorder,
    eaas: clientOf(session.apiKey, undefined, more),
    value: signal('ada@example.com'),
    sealed: signal(undefined),
  };
}
