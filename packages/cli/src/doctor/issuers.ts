import { KeyHosts, publishers, reasonOf, type Sql } from '@eaas/server/internal';
import { type Finding, failed, ok, warning } from './finding.ts';

type Publisher = Awaited<ReturnType<typeof publishers>>[number];

const [check, day] = ['issuers', 86_400_000];

/** Checks that this machine can fetch the keys of every sign-in that publishes them. Stores nothing. */
export async function judgeIssuers(sql: Sql, allowed: readonly string[] = []): Promise<Finding[]> {
  return judgePublishers(await publishers(sql), new KeyHosts(allowed));
}

export async function judgePublishers(
  found: readonly Publisher[],
  hosts: Pick<KeyHosts, 'faultOf' | 'fetch'>,
): Promise<Finding[]> {
  if (found.length === 0) return [ok(check, 'No sign-in has keys that the server fetches.')];
  const fetching = new Map(found.map(({ jwks_uri: uri }) => [uri, faultOf(uri, hosts)]));
  const findings = await Promise.all(
    found.map(async (one) => judge(one, hosts.faultOf(one.jwks_uri), await fetching.get(one.jwks_uri))),
  );
  const faulty = findings.filter((finding) => finding !== undefined);
  return faulty.length > 0
    ? faulty
    : [ok(check, `The keys of sign-ins can be fetched (${found.length} issuers).`)];
}

function faultOf(uri: string, hosts: Pick<KeyHosts, 'fetch'>): Promise<string | undefined> {
  return hosts.fetch(uri).then(() => undefined, reasonOf);
}

function judge(
  { tenant_id, issuer_id, jwks_uri, fetched_at, now }: Publisher,
  forbidden: string | undefined,
  fault: string | undefined,
): Finding | undefined {
  const { host } = new URL(jwks_uri);
  const named = `The keys of the issuer ${issuer_id} of the tenant ${tenant_id} cannot be fetched from ${host}`;
  if (forbidden !== undefined) {
    return failed(
      check,
      `${named}, so its users get 503: EAAS_ISSUER_HOSTS does not allow it. Add the host, or revoke the issuer.`,
    );
  }
  if (fault === undefined) return undefined;
  const age = fetched_at === null ? Infinity : now - fetched_at;
  return age > day
    ? failed(check, `${named}, and none are stored from the last day, so its users get 503: ${fault}.`)
    : warning(
        check,
        `${named}: ${fault}. The stored keys count for another ${Math.floor((day - age) / 3_600_000)} h.`,
      );
}
