// `--remote`: commands that are calls of the service make them over HTTP with an API key, where others open its database.
import { parseUuid } from '@eaas/protocol';
import { ServiceError } from '@eaas/protocol/internal';
import type { ProblemCode } from '@eaas/protocol/wire';
import { asWord, CannotStart, Refusal } from '@eaas/server/internal';
import { allPages, type Caller, onTenant, type OnTenant, Option, withTenant } from './command.ts';
import { readRemote } from './config.ts';
import { WrongUsage } from './kit/index.ts';
import { note } from './output.ts';
import { ifPermitted } from './refusal.ts';

/** Makes a command that is a call of the service. An API key is of one tenant, so that nobody needs to name it. */
export const onTenantOrRemote = (...made: Parameters<typeof onTenant>) =>
  onTenant(...made).addOption(
    new Option(
      '--remote',
      'call the service at EAAS_BASE_URL with EAAS_API_KEY, for its tenant, without the database (or EAAS_REMOTE=1)',
    ).implies({ tenant: null }),
  );

export interface OnTenantOrRemote extends Omit<OnTenant, 'tenant'> {
  readonly remote?: true | undefined;
  /** Null with `remote`, if nobody named it. */
  readonly tenant: string | null;
}

/** The option by which the next command finds the same tenant. */
export const placeOf = ({ remote, tenant }: OnTenantOrRemote): string =>
  remote ? '--remote' : `--tenant ${asWord(tenant ?? '')}`;

export async function withCaller<T>(
  { remote, tenant }: OnTenantOrRemote,
  work: (caller: Caller) => Promise<T>,
): Promise<T> {
  return remote ? work(await callerOverHttp(tenant)) : withTenant({ tenant: tenant ?? '' }, work);
}

/** Says on standard error who calls whom, and refuses a tenant that is not the API key's. */
async function callerOverHttp(tenant: string | null): Promise<Caller> {
  const { url, apiKey } = readRemote();
  // Imported dynamically, because the commands with the database should start at once.
  const { callTo } = await import('@eaas/sdk/internal');
  const call = callTo(url, 'EAAS_BASE_URL', apiKey);
  const ask: Caller['ask'] = (route, input) => call(route, input).catch(refused);
  const hint = apiKey.slice(-4);
  const [tenantId, apiKeyId] = await Promise.all([tenantOf(ask), apiKeyWith(ask, hint)]);
  const ofTenant = tenantId ?? 'unknown without audit.read';
  note(`Service ${url}, tenant ${ofTenant}, API key ${apiKeyId ?? `that ends in ${hint}`}`);
  if (tenant !== null && tenantId === undefined) {
    throw new WrongUsage(
      '--tenant cannot be checked, because EAAS_API_KEY lacks the permission audit.read: leave --tenant out.',
    );
  }
  if (tenant !== null && parseUuid(tenant) !== tenantId) {
    throw new WrongUsage(
      `--tenant must be the id of the tenant of EAAS_API_KEY, ${tenantId}: pass this id, or leave --tenant out.`,
    );
  }
  return { ask, place: '--remote' };
}

/** A checkpoint is the cheapest answer that names the tenant. */
const tenantOf = async (ask: Caller['ask']) =>
  (await ifPermitted(ask('GET /v1/audit/checkpoint', {})))?.tenant_id;

/** Returns the id of the only API key that ends so, because no answer names the API key that asks. */
async function apiKeyWith(ask: Caller['ask'], hint: string): Promise<string | undefined> {
  const list = allPages(async (page) => (await ask('GET /v1/api-keys', page)).api_keys, 'api_key_id');
  const all = (await ifPermitted(list)) ?? [];
  const [own, other] = all.filter((each) => each.hint === hint && each.revoked_at === null);
  return other ? undefined : own?.api_key_id;
}

const late = ', and may still do what was asked: look before you repeat it';

/** Makes a refusal of what the transport throws, with what a person with variables can do. */
function refused(error: unknown): never {
  if (!(error instanceof ServiceError)) throw error;
  const { code, message, requestId } = error;
  if (code === 'network' || code === 'timeout' || code === 'invalid_response') {
    throw new CannotStart(`EAAS_BASE_URL: ${message}${code === 'timeout' ? late : ''}`, { cause: error });
  }
  const advice: Partial<Record<ProblemCode, string>> = {
    unauthorized: ' Set EAAS_API_KEY to it.',
    permission_missing: ' Set EAAS_API_KEY to one that may do this.',
    internal: ` (X-Request-Id: ${requestId})`,
  };
  throw new Refusal(code, message + (advice[code] ?? ''), { cause: error });
}
