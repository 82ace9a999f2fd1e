import type { Bundle, Context, EaasClient } from '@eaas/sdk';
import { type Signal, signal } from '@preact/signals';
import { clientOf, type Session } from '../session.ts';
import { createRecorder, type Exchange, type Recorder } from './exchanges.ts';
import { type AllOwnKeys, createMissing, findOwnKeys, type OwnKeys, unusableOf } from './own-keys.ts';

export const home: Context = { table: 'users', row: '42' };

export interface Sealed {
  readonly value: string;
  readonly bundle: Bundle;
  readonly exchanges: readonly Exchange[];
}

export interface Play {
  readonly keyId: string;
  readonly formKeyId: string;
  readonly session: Session;
  readonly recorder: Recorder;
  readonly eaas: EaasClient;
  readonly value: Signal<string>;
  readonly sealed: Signal<Sealed | undefined>;
}

const plays = new WeakMap<Session, Promise<Play>>();

/**
 * Returns the session's play, or else the playground's own keys as they are now. The user must agree before the
 * playground creates or uses its keys, because the tenant might be in production and a key of somebody else can have
 * the name. A tenant for development needs no agreement.
 */
export async function findPlay(session: Session): Promise<Play | OwnKeys> {
  const open = plays.get(session);
  if (open) return open;
  const keys = await findOwnKeys(session.client);
  return session.isDevelopment && !unusableOf(keys) ? startPlay(session, keys) : keys;
}

export function startPlay(session: Session, keys: OwnKeys): Promise<Play> {
  const play =
    plays.get(session) ?? createMissing(session.client, keys).then((own) => playWith(session, own));
  plays.set(session, play);
  play.catch(() => plays.delete(session));
  return play;
}

export function isPlay(found: Play | OwnKeys): found is Play {
  return 'eaas' in found;
}

function playWith(session: Session, { key, form }: AllOwnKeys): Play {
  const keyId = key.key_id;
  const { baseUrl, fetch } = session.service;
  const recorder = createRecorder(fetch);
  const more = {
    baseUrl,
    keyId,
    fetch: recorder.fetch,
    cache: { encrypt: false, decrypt: false },
  } as const;
  return {
    keyId,
    formKeyId: form.key_id,
    session,
    recorder,
    eaas: clientOf(session.apiKey, undefined, more),
    value: signal('ada@example.com'),
    sealed: signal(undefined),
  };
}
