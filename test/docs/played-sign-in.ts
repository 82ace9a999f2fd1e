// A page of an app that signs its users in with authorization code and PKCE, as the library of a provider does.
import { createBrowserClient } from '@eaas/sdk/browser';

const clientId = 'web';
const api = 'https://eaas.example';
const redirectUri = location.origin + location.pathname;

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

async function signIn(provider: string): Promise<void> {
  const verifier = base64Url(crypto.getRandomValues(new Uint8Array(32)));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  sessionStorage.setItem('sign-in', JSON.stringify({ provider, verifier }));
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    resource: api,
    code_challenge: base64Url(new Uint8Array(hash)),
    code_challenge_method: 'S256',
    prompt: 'login',
  });
  location.assign(`${provider}/auth?${query}`);
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function requestTokens(grant: Readonly<Record<string, string>>): Promise<Tokens> {
  const { provider } = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}') as { provider: string };
  const body = new URLSearchParams({ client_id: clientId, resource: api, ...grant });
  const response = await fetch(`${provider}/token`, { method: 'POST', body });
  if (!response.ok)
    throw new Error(`the provider responded with ${response.status} ${await response.text()}`);
  const tokens = (await response.json()) as Tokens;
  sessionStorage.setItem('tokens', JSON.stringify(tokens));
  return tokens;
}

const kept = (): Tokens => JSON.parse(sessionStorage.getItem('tokens') ?? '{}') as Tokens;
const accessToken = (): string => kept().access_token;
const refreshed = async (): Promise<string> =>
  (await requestTokens({ grant_type: 'refresh_token', refresh_token: kept().refresh_token })).access_token;

const code = new URLSearchParams(location.search).get('code');
if (code !== null) {
  const { verifier } = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}') as { verifier: string };
  history.replaceState(null, '', redirectUri);
  const grant = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  };
  await requestTokens(grant);
  document.body.append('signed in');
}

Object.assign(globalThis, { createBrowserClient, signIn, accessToken, refreshed });
