import * as z from 'zod/mini';
import { describeField } from './reference/fields.ts';

/** A JSON Schema (2020-12), as far as it is looked at here. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  [keyword: string]: unknown;
}

/** The JSON Schema of what a caller may send. */
export function inputSchema(schema: z.ZodMiniType): JsonSchema {
  return describe(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema, '', true);
}

/** The JSON Schema of what the service answers. More fields may come, so it does not close its objects. */
export function outputSchema(schema: z.ZodMiniType): JsonSchema {
  return describe(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonSchema, '', false);
}

/** Without what says nothing, and with a sentence on every field. */
function describe(schema: JsonSchema, name: string, closed: boolean): JsonSchema {
  const { $schema: _, propertyNames: __, ...rest } = schema;
  const tidy: JsonSchema = rest;
  if (tidy['maximum'] === Number.MAX_SAFE_INTEGER) delete tidy['maximum'];
  if (tidy['minimum'] === Number.MIN_SAFE_INTEGER) delete tidy['minimum'];
  if (!closed && tidy['additionalProperties'] === false) delete tidy['additionalProperties'];
  if (tidy.items) tidy.items = describe(tidy.items, name, closed);
  if (tidy.anyOf) tidy.anyOf = tidy.anyOf.map((one) => describe(one, name, closed));
  if (tidy.properties) {
    const members = Object.entries(tidy.properties).map(([field, value]) => {
      const description = describeField(field, name);
      return [field, { ...(description && { description }), ...describe(value, field, closed) }] as const;
    });
    tidy.properties = Object.fromEntries(members);
  }
  return tidy;
}
