// Encrypts and decrypts in the page with the token of the signed-in person. The service decides whose values it opens.
import { createBrowserClient } from '@eaas/sdk/browser';
import { definition } from './table.mjs';

const settings = await (await fetch('/settings')).json();
const redirectUri = `${location.origin}/`;
const find = (selector) => document.querySelector(selector);
const say = (words) => {
  find('output').textContent = words;
};

// 1. The sign-in: authorization code with PKCE. The library of your provider does this.

const base64Url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

async function signIn(page, hint) {
  const verifier = base64Url(crypto.getRandomValues(new Uint8Array(32)));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  sessionStorage.setItem('signing-in', JSON.stringify({ page, verifier }));
  const query = new URLSearchParams({
    client_id: 'clinic',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    resource: settings.audiences[page],
    code_challenge: base64Url(new Uint8Array(hash)),
    code_challenge_method: 'S256',
    prompt: 'login',
    login_hint: hint,
  });
  location.assign(`${settings.signIn}/auth?${query}`);
}

async function finishSignIn(code) {
  const { page, verifier } = JSON.parse(sessionStorage.getItem('signing-in'));
  history.replaceState(null, '', redirectUri);
  const body = new URLSearchParams({
    client_id: 'clinic',
    grant_type: 'authorization_code',
    resource: settings.audiences[page],
    redirect_uri: redirectUri,
    code_verifier: verifier,
    code,
  });
  const response = await fetch(`${settings.signIn}/token`, { method: 'POST', body });
  if (!response.ok) throw new Error('The sign-in failed: sign in again.');
  return { page, token: (await response.json()).access_token };
}

// 2. The clinic: fetches ciphertexts from the server, and opens them here.

async function open({ page, token }) {
  const eaas = createBrowserClient({
    baseUrl: settings.baseUrl,
    issuer: settings.issuers[page],
    token: () => token,
    keyId: settings.keyId,
    subject: ({ patient, sub }) => patient ?? `staff:${sub}`,
  });
  const records = definition.for(eaas);

  const call = async (path, init = {}) => {
    const response = await fetch(path, { ...init, headers: { authorization: `Bearer ${token}` } });
    const body = await response.json();
    if (!response.ok) throw new Error(body.error);
    return body;
  };

  async function show() {
    const rows = await call('/patients');
    // The rows of a person who was erased cannot be opened any more, and the others can.
    const opened = await Promise.all(
      rows.map((row) =>
        records.decryptRow('clinic_patients', row.id, row).catch((error) => {
          if (error.code !== 'subject_erased') throw error;
          return { id: row.id, name: 'erased: nobody can open this row again', isErased: true };
        }),
      ),
    );
    find('#patients tbody').replaceChildren(...opened.map(rowOf));
    if (page === 'patients') await showReport();
  }

  function rowOf({ id, name, allergies, isErased }) {
    const row = document.createElement('tr');
    const cell = row.insertCell();
    cell.textContent = name;
    if (isErased) {
      cell.colSpan = 3;
      return row;
    }
    const input = document.createElement('input');
    input.value = allergies;
    input.ariaLabel = `Allergies of ${name}`;
    row.insertCell().append(input);
    const button = document.createElement('button');
    button.textContent = 'Save';
    button.addEventListener('click', () => attempt(() => save(id, input.value)));
    row.insertCell().append(button);
    return row;
  }

  async function save(id, value) {
    const { allergies } = await records.encryptRow('clinic_patients', id, { id, allergies: value });
    await call(`/patients/${id}`, { method: 'PUT', body: JSON.stringify({ allergies }) });
    say('Saved.');
    await show();
  }

  /** A patient may read what the log says about their own data, and nothing else of the log. */
  async function showReport() {
    const newest = [];
    for await (const entry of eaas.audit.report()) if (newest.push(entry) === 50) break;
    // The newest entry is that of this page, which has just opened the row.
    const me = newest[0]?.user;
    const shown = newest.map(({ time, action, user, outcome }) => {
      const row = document.createElement('tr');
      const who = user === me ? 'you' : user ? `somebody else (${user.slice(0, 8)}…)` : "the clinic's server";
      const what = { 'key.unwrap': 'opened', 'key.wrap': 'encrypted' }[action] ?? action;
      const cells = [
        new Date(time).toLocaleString(),
        outcome === 'refused' ? `${what} (refused)` : what,
        who,
      ];
      for (const cell of cells) row.insertCell().textContent = cell;
      return row;
    });
    find('#report tbody').replaceChildren(...shown);
  }

  find('#sign-in').hidden = true;
  find('#signed-in').hidden = false;
  find('#signed-in button').addEventListener('click', () =>
    attempt(async () => {
      await eaas.close();
      location.assign('/');
    }),
  );
  find('#patients h2').textContent = page === 'staff' ? 'Patients' : 'My data';
  find('#patients').hidden = false;
  find('#report').hidden = page === 'staff';
  await show();
}

const attempt = (action) => action().catch((error) => say(error.message));

for (const button of document.querySelectorAll('#sign-in button')) {
  button.addEventListener('click', () => attempt(() => signIn(button.dataset.page, button.dataset.hint)));
}
const code = new URLSearchParams(location.search).get('code');
if (code !== null) await attempt(async () => open(await finishSignIn(code)));
