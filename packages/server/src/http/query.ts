import { type Endpoint, explain } from '@eaas/protocol/wire';
import { Refusal } from '../refusal.ts';

/** The query of a call, by its schema; throws the 400 that names the parameter which is wrong. */
export function readQuery(schema: Endpoint['query'], url: string): object {
  const values = parseQuery(url);
  const known = Object.keys(schema?.shape ?? {});
  for (const name of values.keys()) {
    if (!known.includes(name)) throw unknown(name, known);
  }
  if (!schema) return {};
  const input = Object.fromEntries(values);
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw new Refusal('bad_request', `Query parameter ${explain(parsed.error, input)}.`);
  return parsed.data;
}

function parseQuery(url: string): Map<string, string> {
  const start = url.indexOf('?');
  const text = start < 0 ? '' : url.slice(start + 1);
  const values = new Map<string, string>();
  for (const pair of text === '' ? [] : text.split('&')) {
    const [name = '', ...rest] = pair.split('=');
    const decoded = decode(name, name);
    const value = decode(rest.join('='), decoded);
    if (value === '') throw new Refusal('bad_request', `Query parameter ${quoted(decoded)} is empty.`);
    if (values.has(decoded))
      throw new Refusal('bad_request', `Query parameter ${quoted(decoded)} stands twice.`);
    values.set(decoded, value);
  }
  return values;
}

function decode(text: string, name: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Refusal('bad_request', `Query parameter ${quoted(name)} is not percent-encoded UTF-8.`);
  }
}

function unknown(name: string, known: readonly string[]): Refusal {
  const hint = known.length === 0 ? 'takes none' : `takes ${known.map(quoted).join(', ')}`;
  return new Refusal('bad_request', `Unknown query parameter ${quoted(name)}: this call ${hint}.`);
}

const quoted = (name: string) => `\`${name.slice(0, 64)}\``;
