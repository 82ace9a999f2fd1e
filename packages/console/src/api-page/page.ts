// The API page: every call of the endpoint table, as one file that needs no script and no network. `build.ts` writes it.
import { callOf, groups, problemCauses } from '@eaas/protocol/internal-reference';
import { splitRoute } from '@eaas/protocol/internal-service';
import {
  endpoints,
  limits,
  type Permission,
  permissions,
  problem,
  type ProblemCode,
  problems,
  type Route,
} from '@eaas/protocol/wire';
import { callSection, codeBlock, escape, json, methodBadge, prose } from './call.ts';

const routes = Object.keys(endpoints) as Route[];

/**
 * Returns the page, with the given style and icon. A server removes the `<li data-page>` of each page that it does not
 * serve.
 */
export function apiPage({ style, icon }: { readonly style: string; readonly icon: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Eaas</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body class="api">
<a class="unseen" href="#content">Skip to the content</a>
<header class="top"><div class="brand" aria-hidden="true">Eaas</div>
<nav aria-label="Pages"><ul><li data-page="/"><a href="/">Playground</a></li>
<li data-page="/console/"><a href="/console/">Console</a></li>
<li><a href="#" aria-current="page">API reference</a></li></ul></nav></header>
<div class="layout">
${navigation()}
<main id="content">
${introduction()}
${permissionSection()}
${groups.map(groupSection).join('')}
${problemSection()}
<footer class="soft">Generated from the endpoint table of the service. For machines:
<a href="/openapi.json">openapi.json</a>. <a href="#">Back to the top</a></footer>
</main>
</div>
</body>
</html>
`;
}

function navigation(): string {
  const lists = `<ul><li><a href="#authentication">Authentication</a></li><li><a href="#conventions">Conventions</a></li>
<li><a href="#permissions">Permissions</a></li><li><a href="#problems">Problems</a></li></ul>
${groups.map(({ title, routes: of }) => `<p>${escape(title)}</p><ul>${of.map(navigationItem).join('')}</ul>`).join('')}`;
  return `<nav class="contents" aria-label="Contents">${lists}</nav>`;
}

function navigationItem(route: Route): string {
  const { method } = splitRoute(route);
  return `<li><a href="#${callOf(route).id}">${methodBadge(method)} ${shortName(route)}</a></li>`;
}

function shortName(route: Route): string {
  const words = callOf(route).id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace('api key', 'API key');
}

function groupSection({ title, about, routes: of }: (typeof groups)[number]): string {
  return `<section class="group"><h2>${escape(title)}</h2><p class="soft">${escape(about)}</p>${of.map(callSection).join('')}</section>`;
}

function permissionSection(): string {
  const calls = (permission: Permission) =>
    routes
      .filter((route) => endpoints[route].permission === permission)
      .map((route) => `<a href="#${callOf(route).id}">${callOf(route).id}</a>`)
      .join(', ');
  const rows = permissions.map(
    (name) => `<tr><th scope="row"><code>${name}</code></th><td>${calls(name)}</td></tr>`,
  );
  return `<section class="stack prose" id="permissions"><h2>Permissions</h2>
<p>An API key has permissions, and may be limited to some keys. A call without the required permission gets 403.</p>
<table><tbody>${rows.join('')}</tbody></table></section>`;
}

function problemSection(): string {
  const rows = (Object.keys(problems) as ProblemCode[]).map((code) => {
    const { status, title } = problems[code];
    return (
      `<tr id="problem-${code}"><th scope="row"><code>${code}</code></th><td class="soft">${status} ` +
      `${escape(title)}</td><td>${prose(problemCauses[code])}</td></tr>`
    );
  });
  return `<section class="group" id="problems"><h2>Problems</h2>
<p class="soft">Every error is a problem document (RFC 9457) with a stable <code>code</code>. <code>detail</code> describes what to do.</p>
<table class="problems"><thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead>
<tbody>${rows.join('')}</tbody></table></section>`;
}

const MiB = 1024 * 1024;
const keyNotFound = 'Key not found: pass the key_id that POST /v1/keys returned, not the name of the key.';

const introduction = (): string => `<h1>API reference</h1>
<p class="lead">Keys, encryption, searchable hashes and an immutable audit log, as JSON over HTTPS.</p>
<section class="stack prose" id="authentication"><h2>Authentication</h2>
<p>Every call under <code>/v1</code> needs an API key. The examples take the service’s address and the API key from the environment:</p>
${codeBlock(
  'Shell',
  `export EAAS_BASE_URL="https://eaas.example"
export EAAS_API_KEY="eaas_sk_…"

curl "$EAAS_BASE_URL/v1/keys" -H "Authorization: Bearer $EAAS_API_KEY"`,
)}
<p>A request gets 401 if its API key is missing, unknown, expired or revoked.</p></section>
<section class="stack prose" id="conventions"><h2>Conventions</h2>
<p>Bodies are JSON in UTF-8. A request with an unknown field, or an unknown or repeated query parameter, gets 400.
Calls without body fields take no body. Bytes are standard base64 with padding; times are RFC 3339 in UTC; ids are UUIDs.</p>
<p>Calls take the <code>key_id</code> of a key. A call with a name instead of the id gets 404.</p>
<p>A body has at most ${limits.body / MiB} MiB. A text to encrypt or hash has at most ${limits.text.toLocaleString('en')} bytes.
There is no rate limit; encryptions may have a monthly quota.</p>
<p>Every response has an <code>X-Request-Id</code>, which is also in the service’s log.
Errors are problem documents with <a href="#problems">stable codes</a>:</p>
${codeBlock('Response 404', json(problem('not_found', keyNotFound)))}</section>`;
