import assert from 'node:assert/strict';
import { deriveSecret, inputOf, isElement, run, seedOf } from '../reference/blind-hash.mjs';
import { base64, concat, fromHex, hex, pae, utf8 } from '../reference/bytes.mjs';
import { G, integer, multiply, p, pointBytes, scalarBytes } from '../reference/p256.mjs';
import { K, requireUniqueNames, T } from './places.mjs';

const hashKey = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const keyInfo = 'eaas blind hash v1';

const toScalar = (text) => integer(fromHex(text));

const requests = [
  {
    name: 'the empty value',
    values: [''],
    blinds: ['1dba93d7bb1a545bb5a562eb6c6f2d9c1490adc329c1adc395f3f46e619dd18e'],
    random: 'ba64b50161d49290c44c7192e29abe53b323d16f1cea08e4107aa7d3b0f60b62',
  },
  {
    name: 'a text',
    values: [hex(utf8('ada@example.org'))],
    blinds: ['e8d8392425c0cc378ac8fa14b99f8b70f8ef2f493e92b352ede393524277c23f'],
    random: 'cae9b1a6c60852ef88ce415942cad56b4f878323cdf9894544284f721e176b68',
  },
  {
    name: 'three values: a text, bytes that are not UTF-8, and the value of a field',
    values: [
      hex(utf8('Zürich')),
      '00ff',
      hex(pae('eaas field index v1', 'patients', 'email', utf8('ada@example.org'))),
    ],
    blinds: [
      '00fec13988bdc3458560fb4fccf8fadfcda342fbc30706ec09be6a3957bdd518',
      '1548e119040ba442061547a226076a7cc5fa60a016fbaf5c6e0095bcc8453dce',
      '6505d7ebcf68c3befe0b47d3bfd15cbbd079696f8ebc5ecaadad2cb1b2c41fe5',
    ],
    random: '535fe069277abcd1ad2c7ba5abb595c331a1b95a43bde9bf4be4fae80a7d3ae3',
  },
];

const generator = pointBytes(G);
const uncompressed = (first) => concat(Buffer.of(first), generator.subarray(1), scalarBytes(G.y));
const withX = (first, x) => concat(Buffer.of(first), scalarBytes(x));

/**
 * Encodings that are not valid elements. The cases p and p + 5 detect a reader that reduces x modulo p, because 0 and 5
 * are x coordinates of points.
 */
const refused = {
  'the point at infinity': base64(Buffer.of(0)),
  '33 zero bytes': base64(Buffer.alloc(33)),
  'the uncompressed form': base64(uncompressed(4)),
  'the uncompressed form without y': base64(withX(4, G.x)),
  'the hybrid form of an even y': base64(uncompressed(6)),
  'the hybrid form of an odd y': base64(uncompressed(7)),
  'the hybrid form without y': base64(withX(7, G.x)),
  'an unknown first byte': base64(withX(1, G.x)),
  'x = p': base64(withX(2, p)),
  'x = p + 5': base64(withX(3, p + 5n)),
  'an x that is not on the curve': base64(withX(2, 1n)),
  '32 bytes': base64(generator.subarray(0, 32)),
  '34 bytes': base64(concat(generator, Buffer.of(0))),
  'the URL alphabet': base64(withX(2, 127n)).replace(/\/$/, '_'),
  'a line break behind': `${base64(generator)}\n`,
  'no bytes': '',
};

function refusals() {
  const list = Object.entries(refused).map(([name, element]) => ({ name, element }));
  for (const { name, element } of list) assert(!isElement(element), name);
  return list;
}

export function build() {
  const seed = seedOf(hashKey, T, K);
  const secret = deriveSecret(seed, utf8(keyInfo));
  const cases = requests.map(({ name, values, blinds, random }) => {
    const inputs = values.map((value) => inputOf(fromHex(value)));
    const result = run(secret, inputs, blinds.map(toScalar), toScalar(random));
    const [elements, evaluated] = [result.elements.map(base64), result.evaluated.map(base64)];
    assert(elements.every(isElement));
    return {
      name,
      values,
      inputs: inputs.map(hex),
      blinds,
      proof_random: random,
      request: { key_id: K, elements },
      response: {
        key_id: K,
        evaluated,
        proof: base64(result.proof),
        public_key: base64(result.public_key),
      },
      hashes: result.hashes.map(hex),
    };
  });
  const list = refusals();
  requireUniqueNames(cases, list);
  return {
    description:
      'Blind hashes: VOPRF(P-256, SHA-256) of RFC 9497 in verifiable mode (0x01). The service multiplies a blinded point, and never sees the value.',
    format: [
      'seed = HKDF-SHA-256(`hash_key`, empty salt, pae("eaas blind hash key v1", `tenant_id`, `key_id`), 32). `secret` = DeriveKeyPair(seed, `key_info`). `public_key` = `secret` times the generator, compressed.',
      'cases: input = pae("eaas blind hash v1", SHA-256(value)). `blinds` are the random numbers of the client, `proof_random` is the random number of the proof. The hash is the output of RFC 9497.',
      'refusals: `element` is not valid in a request.',
      'All fields are hex, except `request`, `response` and `element`, which have the base64 of the API.',
    ],
    tenant_id: T,
    key_id: K,
    hash_key: hex(hashKey),
    seed: hex(seed),
    key_info: keyInfo,
    secret: hex(scalarBytes(secret)),
    public_key: hex(pointBytes(multiply(secret, G))),
    cases,
    refusals: list,
  };
}
