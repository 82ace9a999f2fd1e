// Tells the service whose tokens count, and for what. In production, `eaas issuer add` does this once.
import { audiences } from './people.mjs';

/** Replaces the issuers of the clinic, and returns their ids. `jwks` are the public keys of the sign-in. */
export async function acceptSignIn({ baseUrl, apiKey, keyId, issuer, jwks, app }) {
  const call = async (method, path, body) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${baseUrl}/v1/issuers${path}`, { method, headers, ...init });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} /v1/issuers: ${response.status} ${answer.detail}`);
    return answer;
  };
  const { issuers } = await call('GET', '?limit=100');
  for (const { issuer_id, name, revoked_at } of issuers) {
    if (name.startsWith('clinic: ') && revoked_at === null) await call('DELETE', `/${issuer_id}`);
  }

  const both = { issuer, jwks, key_ids: [keyId], allowed_origins: [app] };
  const patients = await call('POST', '', {
    ...both,
    name: 'clinic: patients',
    audience: audiences.patients,
    subject_claim: 'patient',
    permissions: ['encrypt', 'decrypt', 'audit.own'],
  });
  const staff = await call('POST', '', {
    ...both,
    name: 'clinic: staff',
    audience: audiences.staff,
    subject_prefix: 'staff:',
    any_subject: true,
    require: { role: ['doctor'] },
    permissions: ['encrypt', 'decrypt'],
  });
  return { patients: patients.issuer_id, staff: staff.issuer_id };
}
