// The names of keys and actors, for pages that show entries of the audit log.
import { inLine } from '@eaas/protocol/internal';
import type { EaasClient } from '@eaas/sdk';
import { useLoaded } from '../load.ts';

export interface Named {
  /** Ids with names, newest first. */
  readonly names: readonly (readonly [string, string])[];
  readonly total: number;
}

export function useKeyNames(client: EaasClient): Named {
  const { value } = useLoaded((signal) => client.keys.page({ limit: 100 }, { signal }), [client]);
  const names = value?.keys.map(({ key_id, name }) => [key_id, inLine(name)] as const) ?? [];
  return { names, total: value?.total ?? 0 };
}

/** API keys and sign-ins. A session without `api_keys.manage` gets no names, so that the page shows ids. */
export function useActorNames(client: EaasClient): Named {
  const { value } = useLoaded(
    async (signal) => {
      const apiKeys = await client.apiKeys.page({ limit: 100 }, { signal });
      return { ...apiKeys, ...(await client.issuers.page({ limit: 100 }, { signal })), total: apiKeys.total };
    },
    [client],
  );
  const names = [
    ...(value?.api_keys.map(({ api_key_id, name }) => [api_key_id, inLine(name)] as const) ?? []),
    ...(value?.issuers.map(({ issuer_id, name }) => [issuer_id, inLine(name)] as const) ?? []),
  ];
  return { names, total: value?.total ?? 0 };
}

export function nameIn({ names }: Named, id: string): string | undefined {
  return names.find(([known]) => known === id)?.[1];
}
