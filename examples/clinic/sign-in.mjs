// The sign-in of the clinic: an OpenID provider with the three people of people.mjs. In your app this is Auth0, Keycloak, Entra, ….
import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { people } from './people.mjs';

/** Starts the provider, and returns its public keys. */
export async function startSignIn(issuer, app) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const names = { kid: randomBytes(8).toString('hex'), alg: 'ES256', use: 'sig' };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'clinic',
        token_endpoint_auth_method: 'none', // a page has no secret: it uses PKCE
        redirect_uris: [`${app}/`],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), ...names }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    clientBasedCORS: (_, origin) => origin === app,
    findAccount: (_, id) => (people[id] ? { accountId: id, claims: () => ({ sub: id }) } : undefined),
    // Adds the claims by which the service decides.
    extraTokenClaims: (_, { accountId }) => {
      const { patient, role } = people[accountId];
      return { patient, role };
    },
    // Nobody is asked for consent: the sign-in and the app are both of the clinic.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({ clientId: 'clinic', accountId: oidc.session.accountId });
      grant.addOIDCScope('openid');
      await grant.save();
      return grant;
    },
    features: {
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          audience,
          scope: '',
          accessTokenFormat: 'jwt',
          accessTokenTTL: 900,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  });
  await new Promise((resolve, reject) =>
    provider.listen(Number(new URL(issuer).port), resolve).once('error', reject),
  );
  return { keys: [{ ...(await exportJWK(publicKey)), ...names }] };
}
