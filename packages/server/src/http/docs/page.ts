import { createHash } from 'node:crypto';
import { type Permission, permissions, type ProblemCode, problems, type Route } from '@eaas/protocol/wire';
import { routes, splitRoute } from '../api.ts';
import { callOf, groups } from '../reference/groups.ts';
import { problemCauses } from '../reference/problem-causes.ts';
import { callSection } from './call-section.ts';
import { escape, prose } from './html.ts';
import { introduction } from './introduction.ts';
import { style } from './style.ts';

/** Lets the page style itself, and nothing else. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'`;

/** The API reference as one page, without scripts. */
export function docsPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Eaas API reference</title>
<style>${style}</style>
</head>
<body>
<div class="layout">
${navigation()}
<main>
${introduction}
${permissionSection()}
${groups.map(groupSection).join('')}
${problemSection()}
<footer>Made from the same table that the service runs on. For machines: <a href="/openapi.json">openapi.json</a>. <a href="#">Back to the top</a></footer>
</main>
</div>
</body>
</html>
`;
}

function navigation(): string {
  const lists = `<ul><li><a href="#authentication">Authentication</a></li><li><a href="#conventions">Conventions</a></li>
<li><a href="#permissions">Permissions</a></li><li><a href="#problems">Problems</a></li></ul>
${groups.map(({ title, routes }) => `<h2>${escape(title)}</h2><ul>${routes.map(navigationItem).join('')}</ul>`).join('')}`;
  const brand = '<span class="brand">Eaas<small>API reference</small></span>';
  // Wide screens show the list beside the text; narrow ones fold it away. Both are there, one is displayed.
  return `<nav class="wide" aria-label="Contents">${brand}${lists}</nav>
<nav class="narrow" aria-label="Contents"><details><summary>${brand}</summary>${lists}</details></nav>`;
}

function navigationItem(route: Route): string {
  const { method } = splitRoute(route);
  const short = method === 'DELETE' ? 'DEL' : method;
  return `<li><a href="#${callOf(route).id}"><b class="method ${method.toLowerCase()}">${short}</b> ${shortName(route)}</a></li>`;
}

/** `wrapKey` as `Wrap key`. */
function shortName(route: Route): string {
  const words = callOf(route).id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace('api key', 'API key');
}

function groupSection({ title, about, routes }: (typeof groups)[number]): string {
  return `<section class="group"><h2>${escape(title)}</h2><p>${escape(about)}</p>${routes.map(callSection).join('')}</section>`;
}

function permissionSection(): string {
  const calls = (permission: Permission) =>
    routes
      .filter(([, endpoint]) => endpoint.permission === permission)
      .map(([route]) => `<a href="#${callOf(route).id}">${callOf(route).id}</a>`)
      .join(', ');
  const rows = permissions.map(
    (name) => `<tr><th scope="row"><code>${name}</code></th><td>${calls(name)}</td></tr>`,
  );
  return `<section class="prose" id="permissions"><h3>Permissions</h3>
<p>An API key holds permissions, and may be limited to some keys. Without the one that a call needs: 403.</p>
<table class="ruled"><tbody>${rows.join('')}</tbody></table></section>`;
}

function problemSection(): string {
  const rows = (Object.keys(problems) as ProblemCode[]).map((code) => {
    const { status, title } = problems[code];
    return `<tr id="problem-${code}"><th scope="row"><code>${code}</code></th><td class="status">${status} ${escape(title)}</td><td>${prose(problemCauses[code])}</td></tr>`;
  });
  return `<section class="group" id="problems"><h2>Problems</h2>
<p>Every error is a problem document (RFC 9457) with a stable <code>code</code>. <code>detail</code> says what to do next.</p>
<table class="ruled problems"><thead><tr><th>code</th><th>status</th><th>what it means</th></tr></thead><tbody>${rows.join('')}</tbody></table></section>`;
}
