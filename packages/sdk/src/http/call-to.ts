// Calls of a service by their route and with an API key, for a program that needs nothing else of a client.
import { loadKinds } from './all-kinds.ts';
import { baseUrlOf } from './connection.ts';
import { type Call, createTransport } from './transport.ts';

/** `name`: where the address stands, for the error of a wrong one. */
export const callTo = (url: string, name: string, apiKey: string): Call =>
  createTransport(
    { baseUrl: baseUrlOf(url, false, name), loadKinds },
    (_, input, send) => send({ authorization: `Bearer ${apiKey}` }, input),
    () => {},
  );
