// The app's own sign-in: the service accepts the tokens of its issuers, and a user's token opens only the data whose subject
// is that user. Whoever makes a service passes this plugin, with what verifies signatures.
import { toUtf8 } from '@eaas/protocol';
import { toHex } from '@eaas/protocol/internal';
import { orRefusal, refusalOf } from '@eaas/protocol/internal-service';
import { sha256 } from '#platform';
import { senderOf } from '../../caller.ts';
import type { TenantSecrets } from '../../crypto/tenant-secrets.ts';
import { prepared, type View } from '../../ledger/decision.ts';
import { Remembered, rememberedFor } from '../../ledger/remembered.ts';
import { add, allOf, refTo } from '../../ledger/table.ts';
import type { Arrival, Caller, Operations } from '../../operation.ts';
import { keyNeedsOf, listing, recordsOf } from '../../operations/records.ts';
import type { Plugin } from '../../plugin.ts';
import type { Service } from '../../service.ts';
import { Refusal, Tampered, unauthorized, undefinedIf } from '../../rules/refusal.ts';
import * as rules from './issuer-rules.ts';
import { type IssuerRow, issuers as table } from './table.ts';
import {
  fittingKey,
  type IssuerKey,
  openIssuer,
  type PresentedToken,
  presentedToken,
  rightsOf,
} from './token-rules.ts';

/** What the service cannot do itself, because it has no library for tokens and no network. */
export interface IssuerOptions {
  /** Whether the key has signed the token. */
  verify(token: string, jwk: IssuerKey['jwk'], alg: string, tenantId: string): Promise<boolean>;
  /** Returns the keys that an issuer publishes. Throws Refusal 503. Absent: none are fetched. */
  keysFor?(issuer: IssuerRow, token: PresentedToken, secrets: TenantSecrets): Promise<readonly IssuerKey[]>;
  /** Why keys are not fetched from a URI, or undefined if they are. */
  keyHostFault(uri: string): string | undefined;
}

const mostTenants = 256;
const mostSignatures = 1_000;

export function issuers(options: IssuerOptions): Plugin {
  /** By tenant and token: the thumbprint of the key that has signed it. */
  const signed = new Remembered<Remembered<string>>(mostTenants);

  /** Remembered is only that a signature holds. All else is judged each time, against the issuer's current row. */
  function callerOf({ fair }: Service, arrival: Arrival, token: PresentedToken, tenantId: string): Caller {
    const { issuerId, text, header } = token;
    const name = `${issuerId} ${toHex(sha256(toUtf8(text)))}`;
    const signatures = signed.get(tenantId) ?? new Remembered<string>(mostSignatures, rememberedFor);
    signed.set(tenantId, signatures);
    const published = new Map<string | null, readonly IssuerKey[] | Refusal>();
    const verdicts = new Map<string, boolean>();

    // Until a signature holds, the caller is a stranger, who holds up neither the tenant nor those who sign in elsewhere.
    const letOthersGo = async (): Promise<void> => {
      if (signatures.get(name) === undefined) await fair.pause(`signing in to ${tenantId}`);
    };
    // The log keeps entries for years, so the address of a person is not in them, as that of staff and of workloads is. Which
    // of them an issuer is for never changes.
    let ipAddress: string | null = null;
    const findIssuer = (view: Pick<View, 'find'>) => {
      const row = undefinedIf(Tampered, () => view.find(table, issuerId));
      if (row && rules.opensAll(row)) ({ ipAddress } = arrival);
      return row;
    };
    function keyOf(row: IssuerRow): IssuerKey {
      const keys = openIssuer(row).keys ?? prepared(published.get(row.jwks_uri));
      if (keys instanceof Refusal) throw keys;
      return fittingKey(keys, token);
    }
    /** Whether a key has signed the token, or undefined if that was not verified. */
    const holdsUnder = ({ thumbprint }: IssuerKey): boolean | undefined =>
      signatures.get(name) === thumbprint || verdicts.get(thumbprint);

    return {
      ...senderOf(arrival),
      get ipAddress() {
        return ipAddress;
      },
      tenantId,
      actor: issuerId,
      isUser: true,
      needs: [refTo(table, issuerId)],
      holder(view) {
        const row = findIssuer(view);
        if (!row) throw unauthorized();
        const rights = rightsOf(row, token, view);
        if (!prepared(holdsUnder(keyOf(row)))) throw unauthorized();
        return rights;
      },
      // What refuses the token here is not thrown: `holder` finds it too, in rows that are confirmed.
      async prepare(view) {
        await letOthersGo();
        const row = findIssuer(view);
        if (!row || orRefusal(() => rightsOf(row, token, view)) instanceof Refusal) return;
        const { jwks_uri } = row;
        if (jwks_uri !== null && !published.has(jwks_uri)) {
          const keys = (await options.keysFor?.(row, token, view.secrets).catch(refusalOf)) ?? [];
          published.set(jwks_uri, keys);
          // Many can have waited for the same keys.
          await letOthersGo();
        }
        const key = orRefusal(() => keyOf(row));
        if (key instanceof Refusal || holdsUnder(key) !== undefined) return;
        const holds = await options.verify(text, key.jwk, String(header['alg']), tenantId);
        verdicts.set(key.thumbprint, holds);
        if (holds) signatures.set(name, key.thumbprint);
      },
    };
  }

  return {
    name: 'issuers',
    tables: [table],
    authenticate(arrival, service) {
      const token = presentedToken(arrival);
      return (
        token &&
        Promise.resolve(service.tokens.find(token.issuerId)).then((owner) => {
          if (!owner) throw unauthorized();
          return callerOf(service, arrival, token, owner.tenantId);
        })
      );
    },
    endpoints: issuerOperations((uri) => options.keyHostFault(uri)),
  };
}

/** The calls that manage issuers, like those of API keys. */
const records = /* @__PURE__ */ recordsOf(
  table,
  'Issuer not found: pass the issuer_id that POST /v1/issuers returned.',
  rules.issuerRecord,
);

const issuerOperations = (keyHostFault: rules.KeyHostFault) =>
  ({
    'POST /v1/issuers'(_, { tenantId: tenant_id, actor: created_by }, input) {
      const made = { issuer_id: crypto.randomUUID(), tenant_id, created_by };
      return {
        needs: () => [...keyNeedsOf(input), allOf(rules.live)],
        judge(view, giver) {
          const { row, draft } = rules.newIssuer(input, view, giver, made, keyHostFault);
          return { entries: [draft], writes: [add(table, row)], answer: rules.issuerRecord(row) };
        },
      };
    },
    'GET /v1/issuers': (_, __, page) => listing(table, () => [], page, listed),
    'GET /v1/issuers/:issuer_id': (_, __, { issuer_id }) => records.show(issuer_id),
    'PATCH /v1/issuers/:issuer_id': (_, __, { issuer_id, ...fields }) =>
      records.change(issuer_id, (...of) => rules.patchedIssuer(fields, keyHostFault, ...of), fields),
    'DELETE /v1/issuers/:issuer_id': (_, __, { issuer_id }) => records.change(issuer_id, rules.revokedIssuer),
  }) satisfies Partial<Operations>;

const listed = <Page>(rows: readonly IssuerRow[], page: Page) => ({
  issuers: rows.map(rules.listedIssuer),
  ...page,
});
