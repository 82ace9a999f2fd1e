import type { JsonSchema } from '../openapi-schema.ts';
import { escape, prose } from './html.ts';

/** The fields of an object, nested ones under their full name, as a table. */
export function fieldTable(title: string, schema: JsonSchema, showRequired: boolean): string {
  const rows = fieldRows(schema, '', showRequired);
  if (rows.length === 0) return '';
  return `<h4>${escape(title)}</h4><table class="fields"><tbody>${rows.join('')}</tbody></table>`;
}

function fieldRows(schema: JsonSchema, prefix: string, showRequired: boolean): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const required = showRequired && (schema.required ?? []).includes(name);
    return [fieldRow(path, field, required)].concat(nested(path, field, showRequired));
  });
}

function fieldRow(path: string, field: JsonSchema, required: boolean): string {
  const mark = required ? ' <em>required</em>' : '';
  const at = path.lastIndexOf('.') + 1;
  const name = `<small>${escape(path.slice(0, at))}</small>${escape(path.slice(at))}`;
  return `<tr><th scope="row"><code>${name}</code></th><td><span class="type">${escape(typeOf(field))}</span>${mark}<p>${prose(field.description ?? '')}</p></td></tr>`;
}

function nested(path: string, field: JsonSchema, showRequired: boolean): string[] {
  if (field.items) return nested(`${path}[]`, field.items, showRequired);
  const inner = [field, ...(field.anyOf ?? [])];
  const seen = new Set<string>();
  return inner.flatMap((one) => {
    const fresh = Object.entries(one.properties ?? {}).filter(([name]) => !seen.has(name));
    for (const [name] of fresh) seen.add(name);
    return fieldRows({ ...one, properties: Object.fromEntries(fresh) }, `${path}.`, showRequired);
  });
}

/** The type of a field in a few words. */
function typeOf(field: JsonSchema): string {
  if (Array.isArray(field['enum'])) return field['enum'].join(' · ');
  if (field['const'] !== undefined) return JSON.stringify(field['const']);
  if (field.items) return `list of ${typeOf(field.items)}`;
  if (field.anyOf) return Array.from(new Set(field.anyOf.map(typeOf))).join(' or ');
  const type = [field.type ?? 'any'].flat().join(' or ');
  if (field['format'] === 'uuid') return 'UUID';
  if (field['format'] === 'date-time') return 'date and time';
  if (field['contentEncoding'] !== undefined) return 'base64';
  return type + range(field);
}

function range({ minimum, maximum }: JsonSchema): string {
  if (typeof minimum !== 'number' || (minimum === 0 && maximum === undefined)) return '';
  return typeof maximum === 'number' ? ` ${minimum}–${maximum}` : ` from ${minimum}`;
}
