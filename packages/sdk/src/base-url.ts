import { InputError } from '@eaas/protocol';

/** The address of the service, without `/v1` behind it. Throws InputError for what is none. */
export function baseUrlOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const usable =
    url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (!usable) throw new InputError('`baseUrl` is the address of the service, as in https://eaas.example');
  return url.href.replace(/(\/v1)?\/*$/, '');
}
