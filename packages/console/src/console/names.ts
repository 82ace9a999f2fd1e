// The names of keys and actors, for pages that show entries of the audit log.
import { inLine } from '@eaas/protocol/internal';
import { useLoaded } from '../load.ts';
import { signedIn } from '../session.ts';

export interface Named {
  /** Ids with names, newest first. */
  readonly names: readonly (readonly [string, string])[];
  readonly total: number;
}

export function useKeyNames(): Named {
  const { keys } = signedIn().client;
  const { value } = useLoaded((signal) => keys.page({ limit: 100 }, { signal }), []);
  const names = value?.keys.map(({ key_id, name }) => [key_id, inLine(name)] as const) ?? [];
  return { names, total: value?.total ?? 0 };
}

/** API keys and sign-ins. A session without `api_keys.manage` gets no names, so that the page shows ids. */
export function useActorNames(): Named {
  const { client } = signedIn();
  const { value } = useLoaded(async (signal) => {
    const apiKeys = await client.apiKeys.page({ limit: 100 }, { signal });
    return { ...apiKeys, ...(await client.issuers.page({ limit: 100 }, { signal })), total: apiKeys.total };
  }, []);
  const names = [
    ...(value?.api_keys.map(({ api_key_id, name }) => [api_key_id, inLine(name)] as const) ?? []),
    ...(value?.issuers.map(({ issuer_id, name }) => [issuer_id, inLine(name)] as const) ?? []),
  ];
  return { names, total: value?.total ?? 0 };
}

export function nameIn({ names }: Named, id: string): string | undefined {
  return names.find(([known]) => known === id)?.[1];
}
