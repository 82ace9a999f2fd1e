const platformFetch = globalThis.fetch;
const played = { VAULT_ADDR: 'http://vault.test', VAULT_TOKEN: 'hvs.secret-of-the-test' };

type Item = Readonly<Record<string, string>>;
type Batch = readonly Item[];

/**
 * Encrypts values under the key `patients` of the Transit engine at `VAULT_ADDR`. Without this variable, a function
 * responds like one, for the page that runs here.
 */
export async function playTransit(values: readonly string[]): Promise<string[]> {
  const isPlayed = !process.env['VAULT_ADDR'];
  if (isPlayed) Object.assign(process.env, played);
  const { origin } = new URL(process.env['VAULT_ADDR'] ?? '');
  const others = globalThis.fetch;
  const transit = isPlayed ? respond : platformFetch;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    return request.url.startsWith(`${origin}/`) ? transit(request) : others(request);
  };
  const plaintexts = values.map((value) => ({ plaintext: Buffer.from(value).toString('base64') }));
  const response = await fetch(`${origin}/v1/transit/encrypt/patients`, {
    method: 'POST',
    headers: { 'x-vault-token': process.env['VAULT_TOKEN'] ?? '' },
    body: JSON.stringify({ batch_input: plaintexts }),
  });
  const { data } = (await response.json()) as { data: { batch_results: Batch } };
  return data.batch_results.map(({ ciphertext = '' }) => ciphertext);
}

async function respond(request: Request): Promise<Response> {
  if (request.headers.get('x-vault-token') !== played.VAULT_TOKEN) return new Response(null, { status: 403 });
  const { batch_input } = (await request.json()) as { batch_input: Batch };
  const seal = ({ plaintext = '' }: Item): Item => ({ ciphertext: `vault:v1:${reversed(plaintext)}` });
  const open = ({ ciphertext = '' }: Item): Item => ({
    plaintext: reversed(ciphertext.slice('vault:v1:'.length)),
  });
  const batch_results = batch_input.map(request.url.includes('/encrypt/') ? seal : open);
  return Response.json({ data: { batch_results } });
}

const reversed = (text: string): string => Array.from(text).toReversed().join('');
