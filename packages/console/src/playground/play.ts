import type { Bundle, Context, EaasClient } from '@eaas/sdk';
import { type Signal, signal } from '@preact/signals';
import { clientOf, type Session } from '../session.ts';
import { createRecorder, type Exchange, type Recorder } from './exchanges.ts';

export const home: Context = { table: 'users', row: '42' };

export interface Sealed {
  readonly value: string;
  readonly bundle: Bundle;
  readonly exchanges: readonly Exchange[];
}

export interface Play {
  readonly keyId: string;
  readonly session: Session;
  readonly recorder: Recorder;
  readonly eaas: EaasClient;
  readonly value: Signal<string>;
  readonly sealed: Signal<Sealed | undefined>;
}

const plays = new WeakMap<Session, Promise<Play | undefined>>();

export function playOf(session: Session): Promise<Play | undefined> {
  const found = plays.get(session);
  if (found) return found;
  const play = openPlay(session);
  plays.set(session, play);
  play.then(
    (opened) => opened ?? plays.delete(session),
    () => plays.delete(session),
  );
  return play;
}

async function openPlay(session: Session): Promise<Play | undefined> {
  const keyId = session.keyId ?? (await newestActiveKey(session));
  if (keyId === undefined) return undefined;
  const recorder = createRecorder();
  const more = { keyId, fetch: recorder.fetch, cache: { encrypt: false, decrypt: false } } as const;
  return {
    keyId,
    session,
    recorder,
    eaas: clientOf(session.apiKey, undefined, more),
    value: signal('ada@example.com'),
    sealed: signal(undefined),
  };
}

async function newestActiveKey({ client }: Session): Promise<string | undefined> {
  const { keys } = await client.keys.page({ status: 'active', limit: 1 });
  return keys[0]?.key_id;
}
