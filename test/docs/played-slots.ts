// The slots of docs/slots.md, as the types of these products declare them in November 2026. Whatever fills one is asked at once
// whether it hides a secret, and returns it.
import { deserialize, serialize } from 'node:v8';
import { isDeepStrictEqual } from 'node:util';

const secret = 'JBSWY3DP';
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

let waiting = 0;
process.on('exit', () => {
  if (waiting > 0) process.stdout.write(`${waiting} slots did not answer`);
});

/** Runs a check, whose error ends the program. */
async function check(given: unknown, stored: () => Promise<[string, unknown]>): Promise<void> {
  waiting++;
  const [seen, opened] = await stored();
  waiting--;
  if (seen === '' || seen.includes(secret)) throw new Error(`a slot stores ${seen}`);
  if (!isDeepStrictEqual(opened, given)) throw new Error('a slot returned something else');
}

/** `storeOTP` and `storeBackupCodes` of better-auth 1.7. */
interface Codes {
  encrypt: (text: string) => Promise<string>;
  decrypt: (text: string) => Promise<string>;
}
const checkCodes = ({ encrypt, decrypt }: Codes) =>
  check(secret, async () => {
    const stored = await encrypt(secret);
    return [stored, await decrypt(stored)];
  });
interface TwoFactor {
  otpOptions: { storeOTP: Codes };
  backupCodeOptions: { storeBackupCodes: Codes };
}
export const sendVerificationOTP = async (): Promise<void> => {};
export const emailOTP = ({ storeOTP }: { storeOTP: Codes; sendVerificationOTP: () => Promise<void> }) =>
  checkCodes(storeOTP);
export const twoFactor = ({ otpOptions, backupCodeOptions }: TwoFactor) =>
  Promise.all([otpOptions.storeOTP, backupCodeOptions.storeBackupCodes].map(checkCodes));

/** Of @langchain/langgraph-checkpoint 1.2. */
export interface SerializerProtocol {
  dumpsTyped(data: unknown): Promise<[string, Uint8Array]>;
  loadsTyped(type: string, data: Uint8Array | string): Promise<unknown>;
}
export class JsonPlusSerializer implements SerializerProtocol {
  dumpsTyped = async (data: unknown): Promise<[string, Uint8Array]> => ['bytes', serialize(data)];
  loadsTyped = async (_: string, data: Uint8Array | string): Promise<unknown> =>
    typeof data === 'string' ? undefined : deserialize(data);
}
export class MemorySaver {
  readonly serde: SerializerProtocol;
  constructor(serde: SerializerProtocol) {
    this.serde = serde;
    for (const read of [(bytes: Uint8Array) => bytes, textOf]) {
      void check([secret], async () => {
        const [type, bytes] = await serde.dumpsTyped([secret]);
        return [textOf(bytes), await serde.loadsTyped(type, read(bytes))];
      });
    }
  }
}

/** Of @temporalio/common 1.24. */
interface Payload {
  metadata?: { [name: string]: Uint8Array } | null;
  data?: Uint8Array | null;
}
export interface PayloadCodec {
  encode(payloads: Payload[]): Promise<Payload[]>;
  decode(payloads: Payload[]): Promise<Payload[]>;
}
export class Client {
  readonly options: object;
  constructor(options: { dataConverter: { payloadCodecs: PayloadCodec[] } }) {
    this.options = options;
    const metadata = { encoding: serialize('json/plain') };
    const given = ['1', '2'].map((text) => ({ metadata, data: new TextEncoder().encode(secret + text) }));
    for (const codec of options.dataConverter.payloadCodecs) {
      void check(given, async () => {
        const stored = await codec.encode(given);
        return [
          stored.map(({ data }) => textOf(data ?? metadata.encoding)).join(),
          await codec.decode(stored),
        ];
      });
    }
  }
}
