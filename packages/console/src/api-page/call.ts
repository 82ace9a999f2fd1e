// The section of one call on the API page, and the HTML that the whole page is written with.
import { exampleOf, type JsonSchema, operationOf, problemsOf } from '@eaas/protocol/internal-reference';
import { splitRoute } from '@eaas/protocol/internal-service';
import { problems, type Route } from '@eaas/protocol/wire';
import { highlight } from '../parts/highlight.ts';

export function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

export function prose(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

export function codeBlock(title: string, code: string): string {
  const pieces = highlight(code);
  const html = pieces.map(({ text, kind }, at) => {
    const isKey = kind === 'text' && pieces[at + 1]?.text.startsWith(':');
    return kind && !isKey ? `<span class="${kind}">${escape(text)}</span>` : escape(text);
  });
  return `<figure class="card code"><figcaption>${title}</figcaption><pre><code>${html.join('')}</code></pre></figure>`;
}

const tones: Readonly<Record<string, string>> = { POST: 'good', PUT: 'warn', PATCH: 'warn', DELETE: 'bad' };

export function methodBadge(method: string): string {
  return `<b class="badge ${tones[method] ?? ''}">${method}</b>`;
}

/** Writes a value as JSON. Cuts keys and ciphertexts, so that an example fits a column. */
export function json(value: unknown): string {
  const cut = (_: string, member: unknown): unknown => {
    if (typeof member !== 'string' || member.length <= 48 || member.includes(' ')) return member;
    return `${member.slice(0, 40)}…`;
  };
  return JSON.stringify(value, cut, 2);
}

/** Writes the section of a call: what it does and takes on the left, an example on the right. */
export function callSection(route: Route): string {
  const operation = operationOf(route, '');
  const { operationId: id, parameters, requestBody } = operation;
  const { method, path } = splitRoute(route);
  const [status = '', success] = Object.entries(operation.responses)[0] ?? [];
  const response = success?.content['application/json'];
  const parametersIn = (place: 'path' | 'query') => ({
    properties: Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name, schema, description = '' }) => [name, { ...schema, description }]),
    ),
  });
  const codes = problemsOf(route).map(
    (code) => `<a href="#problem-${code}"><span class="soft">${problems[code].status}</span> ${code}</a>`,
  );
  return `
<section class="call" id="${id}">
  <div>
    <h3><a href="#${id}">${escape(operation.summary)}</a></h3>
    <p>${methodBadge(method)}
    <code>${escape(path).replace(/:(\w+)/g, '<i>:$1</i>')}</code></p>
    <p class="soft">permission <code>${operation['x-permission']}</code></p>
    <p>${prose(operation.description)}</p>
    ${fieldTable('Path', parametersIn('path'), false)}
    ${fieldTable('Query', parametersIn('query'), false)}
    ${fieldTable('Body', requestBody?.content['application/json']?.schema ?? {}, true)}
    ${fieldTable('Response', response?.schema ?? {}, false)}
    <h4>Problems</h4>
    <p class="codes">${codes.join(' · ')}</p>
  </div>
  <div class="stack example">
    ${codeBlock('Request', curl(route))}
    ${codeBlock(`Response ${status}`, json(response?.example))}
  </div>
</section>`;
}

function curl(route: Route): string {
  const { method, path } = splitRoute(route);
  const { path: names, query, body } = exampleOf(route);
  const filled = path.replace(/:(\w+)/g, (_, name: string) => String(names[name]));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const url = `$EAAS_BASE_URL${filled}${search.size > 0 ? `?${search}` : ''}`;
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${url}"`,
    '-H "Authorization: Bearer $EAAS_API_KEY"',
  ];
  if (Object.keys(body).length > 0) lines.push(`-H "Content-Type: application/json"`, `-d '${json(body)}'`);
  return lines.join(' \\\n  ');
}

function fieldTable(title: string, schema: JsonSchema, showRequired: boolean): string {
  const rows = fieldRows(schema, '', showRequired);
  if (rows.length === 0) return '';
  return `<h4>${title}</h4><table><tbody>${rows.join('')}</tbody></table>`;
}

function fieldRows(schema: JsonSchema, prefix: string, showRequired: boolean): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const mark = showRequired && schema.required?.includes(name) ? ' <em>required</em>' : '';
    const label = `<span class="soft">${escape(prefix)}</span>${escape(name)}`;
    const row =
      `<tr><th scope="row"><code>${label}</code></th><td>${escape(typeOf(field))}${mark}<p ` +
      `class="soft">${prose(field.description ?? '')}</p></td></tr>`;
    return [row].concat(nestedRows(`${prefix}${name}`, field, showRequired));
  });
}

function nestedRows(path: string, field: JsonSchema, showRequired: boolean): string[] {
  if (field.items) return nestedRows(`${path}[]`, field.items, showRequired);
  const seen = new Set<string>();
  return [field, ...(field.anyOf ?? [])].flatMap((one) => {
    const unseen = Object.entries(one.properties ?? {}).filter(([name]) => !seen.has(name));
    for (const [name] of unseen) seen.add(name);
    return fieldRows({ ...one, properties: Object.fromEntries(unseen) }, `${path}.`, showRequired);
  });
}

function typeOf(field: JsonSchema): string {
  if (Array.isArray(field['enum'])) return field['enum'].join(' · ');
  if (field['const'] !== undefined) return JSON.stringify(field['const']);
  if (field.items) return `list of ${typeOf(field.items)}`;
  if (field.anyOf) return Array.from(new Set(field.anyOf.map(typeOf))).join(' or ');
  if (field['format'] === 'uuid') return 'UUID';
  if (field['format'] === 'date-time') return 'date and time';
  if (field['contentEncoding'] !== undefined) return 'base64';
  const { minimum, maximum } = field;
  const type = [field.type ?? 'any'].flat().join(' or ');
  if (typeof minimum !== 'number' || (minimum === 0 && maximum === undefined)) return type;
  return typeof maximum === 'number' ? `${type} ${minimum}–${maximum}` : `${type} from ${minimum}`;
}
