import type { LocalService, TestService } from '@eaas/local';

/** Calls a service in this process, and returns the status and the members of its answer. */
export async function ask(
  { baseUrl, apiKey, fetch }: Pick<LocalService | TestService, 'baseUrl' | 'apiKey' | 'fetch'>,
  route: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const [method = '', path = ''] = route.split(' ');
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const sent = body ? { body: JSON.stringify(body) } : {};
  const response = await fetch(`${baseUrl}${path}`, { method, headers, ...sent });
  return { status: response.status, ...((await response.json()) as object) };
}
