/** A text that begins like a ciphertext, and that anyone can type without a key. */
export const lookAlike = 'eaasAUFBQUFBQUFBQUFBQUFBQUEAAAABAAEA';

/** Returns JSON with a value inside nested lists. */
export function deepJson(depth: number, value: string): unknown {
  let json: unknown = value;
  for (let at = 0; at < depth; at++) json = [json];
  return json;
}
