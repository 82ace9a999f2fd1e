import { type Endpoint, endpoints, problems, type Route } from '@eaas/protocol/wire';
import { splitRoute } from '../api.ts';
import { bodySchema } from '../openapi.ts';
import { inputSchema, outputSchema } from '../openapi-schema.ts';
import { describeField } from '../reference/fields.ts';
import { callOf, problemsOf } from '../reference/groups.ts';
import { splitInput } from '../reference/split-input.ts';
import { fieldTable } from './field-table.ts';
import { escape, jsonHtml, prose } from './html.ts';

/** One call: what it does, takes and answers, beside an example. */
export function callSection(route: Route): string {
  const endpoint: Endpoint = endpoints[route];
  const { method, path } = splitRoute(route);
  const { id, about, example } = callOf(route);
  return `
<section class="call" id="${id}">
  <div class="text">
    <h3><a href="#${id}">${escape(endpoint.summary)}</a></h3>
    <p class="route"><b class="method ${method.toLowerCase()}">${method}</b> <code>${pathHtml(path)}</code></p>
    <p class="pill">permission <code>${endpoint.permission}</code></p>
    <p>${prose(about)}</p>
    ${fieldTable('Path', pathSchema(route), false)}
    ${endpoint.query ? fieldTable('Query', inputSchema(endpoint.query), true) : ''}
    ${fieldTable('Body', bodySchema(endpoint), true)}
    ${fieldTable('Answer', outputSchema(endpoint.output), false)}
    <h4>Problems</h4>
    <p class="codes">${problemsOf(route).map(codeLink).join(' ')}</p>
  </div>
  <div class="example">
    <h4>Request</h4><pre><code>${curl(route)}</code></pre>
    <h4>Answer <span>${endpoint.status ?? 200}</span></h4><pre><code>${jsonHtml(example.output)}</code></pre>
  </div>
</section>`;
}

function pathHtml(path: string): string {
  return escape(path).replace(/:(\w+)/g, '<i>:$1</i>');
}

function pathSchema(route: Route) {
  const names = Object.keys(splitInput(route).path);
  const field = (name: string) => ({
    type: 'string',
    format: 'uuid',
    description: describeField(name) ?? '',
  });
  return { properties: Object.fromEntries(names.map((name) => [name, field(name)])) };
}

function codeLink(code: ReturnType<typeof problemsOf>[number]): string {
  return `<a href="#problem-${code}"><span>${problems[code].status}</span> ${code}</a>`;
}

/** The example as a command line. */
function curl(route: Route): string {
  const { method, path } = splitRoute(route);
  const { path: names, query, body } = splitInput(route);
  const filled = path.replace(/:(\w+)/g, (_, name: string) => String(names[name]));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const url = `$EAAS_BASE_URL${filled}${search.size > 0 ? `?${search}` : ''}`;
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${escape(url)}"`,
    '-H "Authorization: Bearer $EAAS_API_KEY"',
  ];
  if (Object.keys(body).length > 0) {
    lines.push(`-H 'Content-Type: application/json'`, `-d '${jsonHtml(body)}'`);
  }
  return lines.join(' \\\n  ');
}
