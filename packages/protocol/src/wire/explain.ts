// Turns an error of zod into the sentence that a caller gets, with the name of the field and never its value.
import type * as z from 'zod/mini';

type Issue = z.core.$ZodIssue;

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

/**
 * Describes the first error of a schema in a sentence. The sentence has field names but no values, because a value
 * might be a secret.
 */
export function explain(error: z.core.$ZodError, input: unknown): string {
  const issue = error.issues[0];
  if (!issue) return 'the request is not understood';
  const field = fieldName(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const at = field ? ` in ${field}` : '';
    return `unknown field \`${(issue.keys[0] ?? '').slice(0, 64)}\`${at}`;
  }
  const subject = field || 'the body';
  if (valueAt(input, issue.path) === undefined) return `${subject} is missing`;
  return `${subject} ${reason(issue)}`;
}

function reason(issue: Issue): string {
  if (issue.code === 'invalid_type') return `must be ${kinds[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'too_big' || issue.code === 'too_small') return 'is out of range';
  return issue.message;
}

function fieldName(path: readonly PropertyKey[]): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return text && `\`${text.replace(/^\./, '').slice(0, 64)}\``;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    input,
  );
}
