import * as z from 'zod/mini';
import { describeField } from './fields.ts';

export interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  [keyword: string]: unknown;
}

export function inputSchema(schema: z.ZodMiniType): JsonSchema {
  return describe(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema, '', true);
}

/** The objects of a response allow unknown fields, because later versions of the service can add fields. */
export function outputSchema(schema: z.ZodMiniType): JsonSchema {
  return describe(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonSchema, '', false);
}

function describe(schema: JsonSchema, name: string, closed: boolean): JsonSchema {
  const { $schema: _, propertyNames: __, ...rest } = schema;
  const tidy: JsonSchema = rest;
  // zod adds a minimum and a maximum to every integer, so limits that the schema does not set are removed.
  const isBounded = closed && tidy['minimum'] !== Number.MIN_SAFE_INTEGER;
  if (!isBounded && tidy['maximum'] === Number.MAX_SAFE_INTEGER) delete tidy['maximum'];
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
