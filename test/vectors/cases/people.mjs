import assert from 'node:assert/strict';
import { base64, concat, draw, fromHex, flip, overwrite, u32 } from '../reference/bytes.mjs';
import {
  openSubject,
  personId,
  sealSubject,
  unwrapForSubject,
  wrapForSubject,
} from '../reference/people.mjs';
import { sealSecret } from '../reference/sealed-secret.mjs';
import { K, requireUniqueNames, T } from './places.mjs';

const [otherTenant, otherKey] = [
  'c3b5a1de-7f0e-4a52-9a3e-0d6c5b0e9f11',
  '7d0f6c1a-52b8-4d3c-8e55-2f9a7c4b1e66',
];
const context = { user: '42' };

// Each case has its random values in base64: the secrets of tenant, version and subject, the salt of the sealed secret, the
// DEK and the salt of the wrapped key.
const inputs = [
  [
    T,
    K,
    1,
    'u-42',
    null,
    'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  ],
  [
    otherTenant,
    K,
    2,
    'u-42',
    context,
    'Vhf95dZCcZG/lYm4xggWny18OlEGI7Ti0HIWMhEbVcvDK8GVToLJWIsixe6EiqVFRD5FUth67Xuo6H6q5zAHlDILS+5hqZuuWh8rlEurrnfI3sNftUsV6GSLeftMHfwl4taFG3PoH5noBDBKsyvC3l4lEa68rsGMQ2YIh/EzaZHv18TEHfu5hZbzYTA57H8VDStgFcyuyzsi6LhwuIRY95wBsJeWk5RnTGB34CqJAh8=',
  ],
  [
    T,
    otherKey,
    10000,
    '0',
    null,
    'CgnB4QqRLoN+ny78EoCCYo/V4V1OcYgz/MB25pmpWEOuoLRNYSoaORS2kXRMTccCTwEdOZXmnaGNb5ozUyxT79+GYWLTgOOk8qMXqDLE+PkdtnsKnAo49JZYXcpZq1C1T+aBfn1Yve53gT7xKpMf1R/tHdDvCUJjRPBCk82YVzvIYWlYYp4pSfJMU2BxzcR/wqSNwhh0A0qe9V1VkDvsh36EddSo9gl42t/c9yKj1z8=',
  ],
  [
    otherTenant,
    otherKey,
    1,
    '0',
    context,
    'iyTeBXjKTtatv+iNhswfWKULjUG3GfDYUEMDPjClCDuR0/jiijGBzMgRtp35DQatXYBzQubD5lmfGsonrnue3Fz3LswaPtL/4ms/3IiHtui04LoX3KN+6n6bHzkqDjrAJAaQ3nAjhlLis2pr3oVvX8oGFlFe2kSw+QGI+0MCre8meos3in78FdLSfUksqn78h6wEjlBhW+Bq/dne7ycX4QYZ4VVhPo/9x9gl35LKP4I=',
  ],
  [
    T,
    K,
    2,
    'a'.repeat(256),
    null,
    'zawrFz6v0AF6/KUiKcZbzJuOvh2aF91vUit+VCJ4Lc8R4JvkJX5aIvT22/s/gueBX8FnASlTTt3CAR6543klBaiXMrad+RzfquURJA+PXWQcnzJhSNvGTmyFJRrHowsaibrAhQRNtY94ybEfHqTckJLKm+vx3f0oAGsN8wuMXub6/xmEGEMCurkUgIhMHhQvNZP9LaoaKeL0EAKWOCjlBjBOePo9JqrgF5Sqy9XhECI=',
  ],
  [
    otherTenant,
    K,
    10000,
    'a'.repeat(256),
    context,
    '5McePSRroYg12lmHpf3sNBtHGuejUZF8NubYCvFumgSGi0VL1X+eyDb9Htny0suH5/SqMZOxRC6p0vXZ/5WHfHkfF3rrNx5F5Q245eodxXXQt3dgyUCPFgpMF0StqJ9Fg8Jf7q8uwA+s6204i7SNDMsOmE4lTQw1w1oGcoYj924e2EoLGU7rfoU5iuz36/kqS46slm0n8VzzYGhOapEPQUU5SPMgEyPFNrjbKP4be9I=',
  ],
  [
    T,
    otherKey,
    1,
    '9b2c1d3e-4f50-4a6b-8c7d-8e9fa0b1c2d3',
    null,
    'pfbP00aGhLYmbxR/4w0nUzcRFG3RfgcANFyN/PvpNl2iVbAJ6Z6fz9sHCUAqdSijEGtzx3GpB0OJkrfHuGJ1QMgEHrDeDZtQwWohAk6QH63HBAVkScjnFe5PbmSyJu2DkUfWPrMRnNpwNnmyOVKB+NT/1hY8foFgW7G5p8e2hrF+RMitIQGbOMr05RRkRK9dgwmfmCbm+QzrGpx7uC7x8vI8VCGh9hqTvdDrKu9Jpgg=',
  ],
  [
    otherTenant,
    otherKey,
    2,
    '9b2c1d3e-4f50-4a6b-8c7d-8e9fa0b1c2d3',
    context,
    'K+bJ26zB1oVlsu6coUlG4/dezKcVVRabuJFNa8iArckE6UXXWIfUwvoDItWEqJtRFppDgSqAeRgjvEsJozUZxJkfYKC3Hi8iJ1wy9uS+25+oZVWqMT1tLPq4zseT9Wc3xiM0vvhP2U6BknBIzOAvRD/wOPqB/MXEsxx/l+Gb3oJQqquJlsmzGfEQuDX2j+6N6R6Xf99MSuuEa9h074QZA7cQodiQT6JA438IuKlONws=',
  ],
  [
    T,
    K,
    10000,
    'Ærø/ö €',
    null,
    'P57xQkL2VuoLlskzxbf0JvKrJvkqDaMryhMkYfNaTjR9c6Y3k7l5k+aBhCZMVj/MKyKZ5JFD4Ac2NdxS6ZqinsZBlMZqaQzWZabTzC3bPw0+I5wLezXvun/5TvIemgdCJzDn9XNY4PMEm867KvQ3hvS5Lfdg9pSrxRSvTkEsSRTcjgJI4E8jKmKjkCx5FsbzTBTDlMcr/vJ50U8gur2mqp/BRlzcLtqooiIc7sUPif0=',
  ],
  [
    otherTenant,
    K,
    1,
    'Ærø/ö €',
    context,
    'TfmBEfXqbH7WjeLzbE/zGQ0GWUF25D+rmfbzWLpKD1DVU2Dt0RFXlfTBNz6HhrhpEcJXjwX6ed6O/h9LIf5BHpjMcu1DckIGO3SQ65PKBL1iER1T6cVq8Saan9hMMHNrkgANh0wAk+wrEg4etx4oEW0dsQtPRowDjj3xoQpiY2/z4ObUJyggZAwokCsagNhVatRYlp6nPhr5MSMsjmtMC+cpSaS0oIPEum84AY464Rc=',
  ],
  [
    T,
    otherKey,
    2,
    '患者-7',
    null,
    'KRxew/HGX5MszYfIXOuPucUuAZbfFgNHW70LaF8I9z+hguijPVjY9m6mF38W/sHqETIZEbJL7LbBx9yWe5FhRACdm5XBHLXFE2V/NAJzD8OQa54U4i+tCCx3CNEA9HnFQJm0RF1LCNlslp5Ci/ygvfZHXvWaiffBXvlCEheDvC/vWeys89Rf9FRiczq2/byMqbK2wYRXNlv1asBJT1HFpyVEhwo32MiqI1kCRBhxxvU=',
  ],
  [
    otherTenant,
    otherKey,
    10000,
    '患者-7',
    context,
    'fzNm8g14niR2RIwBNP/N8TnPjUD0zN0w/FgY+gphGYQBKhhFpqbSxgz7N8+gQ1rPLhgRyXlKRzI6vO2tBqsp86cJ4vc/kAW1ifIFCFNKcMMGfBHai06WjXo8Wxo7lFkfsuuYX6zNU7fIiTcHZJ4LFtgXCEGCuGuaX7HDGHj9j1SiKeErlJy3MDceJeH0uI0JXYiggtSWYzjCyUWbEwXMU85QLjbMMs0HROgH6GweLR4=',
  ],
  [
    T,
    K,
    1,
    'with space',
    null,
    'uttHf777jCxL5ycT0/oZupBaheq+QnwCSMvd9EMKjO9KfdkMWN/Z3DcsXtSjQBoXm0yTzz3FO24SqzRZDXecg2IncBry9kyZLt3vDBQqt/mji2kollQuvEAwm0XtGUTEdpcZQBum2VOAMp9iR3PzlnTJ3unFhlabeeqfNPyH5pk5sepU/NBu6/awyqCRnUx2vgUs72mF61/L1Dy7Vg9sjsX0yYZRTlW6uiM4zHhtP6E=',
  ],
  [
    otherTenant,
    K,
    2,
    'with space',
    context,
    'VK3hrmQ3Ynd+wLPVTLnDHZUtUXWDjfxSC1RXib5+ycydyEmBzkYOSeJaVJbrxta9tcvip5tyArg+jI8mU22GWTQzLqfi+HCkI77SkrDzj/iMu0o7PkL5Lp36iu6b00ap+ZmwtrzLzARJnAPfZ9JS7KwQBONV4xODERkC4z6OLqGypAOInzSknLQ/BYuO3DRbg9wAoLVwzUVgYr1tDEq+icgEPo0ViMIOAkM7pl0RIDM=',
  ],
  [
    T,
    otherKey,
    10000,
    '../x?y#z%00',
    null,
    'QPrT88TogrJ5vNUq7TLPb0WPoAwZsCtajt0ChCWkhb+dboxs/VjSgapvro/YZ7lhkjk9Z0rKPK6ptvruypog7qIt1FuXLyxaiy7X0xxdBbmdcR8TcAh+wnDmfzJ95kPY+ae0sMDaDRNqmAzzLoxYjz3yUC05XsFBpeswybPXPZkq2c86sM3HIAeYJq4gaUhIoEL+m9njOp6jrSeSU8L3FWeZGusHAR+/qEeBTjNwZao=',
  ],
  [
    otherTenant,
    otherKey,
    1,
    '../x?y#z%00',
    context,
    'FYJ1I/8G20m51O43fwTNOgE1W3MDhlla0zgKOmIrSflReWWKN6m7W/WeeHg8JbQ0UaOxSXqY1qC4K1lmrpf68tVFzFMDomG2JUrKJKbx++GqBr1MhVKoo9H5QqxCLtwH4/ZUowOnR8EQT16E6QkDn5lIxy1yuBwDOvILQ3JiX9pG68hFBudMDUg75+wWo0BYGTkiDrdiCZvJMdYGPxE6mOw5YA5W0RKrb/wZbDNocEw=',
  ],
];

const lengths = {
  tenant_secret: 32,
  version_secret: 32,
  subject_secret: 32,
  seal_salt: 24,
  dek: 32,
  salt: 24,
};

function split(text) {
  const bytes = Buffer.from(text, 'base64');
  let start = 0;
  const parts = Object.entries(lengths).map(([name, length]) => {
    start += length;
    return [name, bytes.subarray(start - length, start)];
  });
  assert.equal(start, bytes.length);
  return Object.fromEntries(parts);
}

function buildCase([tenant, key, version, subject, given, random]) {
  const shown = subject.length > 36 ? `${subject.length} characters` : subject;
  const place = { tenant, key, version, subject, context: given, ...split(random) };
  const ids = {
    subject_id: personId(place.tenant_secret, tenant, 'subjects', subject),
    user_id: personId(place.tenant_secret, tenant, 'users', subject),
  };
  const whole = { ...place, ...ids };
  const name = `${shown}, ${given ? 'with a context' : 'without a context'}`;
  return { name, ...whole, sealed: sealSubject(whole), wrapped: wrapForSubject(whole) };
}

function buildRefusals([first, second, third]) {
  const wrong = (name, more) => ({ ...first, name, ...more });
  const { wrapped } = first;
  const changed = (name, bytes, more) => wrong(name, { wrapped: bytes, ...more });
  const plain = sealSecret({
    ikm: first.version_secret,
    purpose: 'dek',
    tenant: first.tenant,
    key: first.key,
    version: first.version,
    context: first.context,
    salt: first.salt,
    secret: first.dek,
  });
  const another = { subject_secret: third.subject_secret };
  const none = { subject_secret: null };
  const plainHead = overwrite(wrapped, 0, fromHex('0101'));
  return [
    changed('the head says 01 01', plainHead),
    changed('the head says 01 01, and no subject', plainHead, none),
    changed('the head says 02 02', overwrite(wrapped, 0, fromHex('0202'))),
    changed('a bit of the version', flip(wrapped, 5, 0x02)),
    changed('a bit of the salt', flip(wrapped, 6, 0x01)),
    changed('a bit of the sealed data key', flip(wrapped, 30, 0x01)),
    changed('a bit of the tag', flip(wrapped, 77, 0x80)),
    wrong('the secret of another subject', another),
    wrong('no subject', none),
    changed('a plain wrap, opened with a subject', plain),
    changed('a plain wrap with the head 01 02', overwrite(plain, 0, fromHex('0102'))),
    wrong('a context where none was', { context }),
    { ...second, name: 'no context where one was', context: null },
    wrong('another tenant', { tenant: otherTenant }),
    wrong('another key', { key: otherKey }),
    wrong('another version is asked for', { version: 2 }),
    changed('another version, and the head rewritten to it', overwrite(wrapped, 2, u32(2)), { version: 2 }),
    wrong('another secret of the version', { version_secret: draw('another version secret', 32) }),
    changed('77 bytes', wrapped.subarray(0, 77)),
    changed('79 bytes', concat(wrapped, Buffer.of(0))),
  ];
}

function buildSealedRefusals([, second, third]) {
  const wrong = (name, more) => ({ ...second, name, ...more });
  return [
    wrong('another subject', { subject_id: third.subject_id }),
    wrong('the user of that name', { subject_id: second.user_id }),
    wrong('another tenant', { tenant: T }),
    wrong('another secret of the tenant', { tenant_secret: third.tenant_secret }),
    wrong('the head says 01 02', { sealed: overwrite(second.sealed, 0, fromHex('0102')) }),
    wrong('a bit of the secret', { sealed: flip(second.sealed, 30, 0x01) }),
    wrong('a bit of the tag', { sealed: flip(second.sealed, 77, 0x80) }),
  ];
}

const wrap = ({ tenant, key, version, version_secret, subject_secret, context: given }) => ({
  tenant,
  key,
  version,
  version_secret: base64(version_secret),
  subject_secret: subject_secret && base64(subject_secret),
  context: given,
});

const shownCase = ({ name, subject, subject_id, user_id, tenant_secret, seal_salt, sealed, ...rest }) => ({
  name,
  subject,
  subject_id,
  user_id,
  tenant_secret: base64(tenant_secret),
  seal_salt: base64(seal_salt),
  sealed: base64(sealed),
  ...wrap(rest),
  dek: base64(rest.dek),
  salt: base64(rest.salt),
  wrapped: base64(rest.wrapped),
});
const shownRefusal = ({ name, wrapped, ...rest }) => ({ name, ...wrap(rest), wrapped: base64(wrapped) });
const shownSealedRefusal = ({ name, tenant, tenant_secret, subject_id, sealed }) => ({
  name,
  tenant,
  tenant_secret: base64(tenant_secret),
  subject_id,
  sealed: base64(sealed),
});

export function build() {
  const cases = inputs.map(buildCase);
  const [refusals, sealedRefusals] = [buildRefusals(cases), buildSealedRefusals(cases)];
  for (const c of cases) {
    assert.ok(unwrapForSubject(c.wrapped, c).equals(c.dek), c.name);
    assert.ok(openSubject(c.sealed, c).equals(c.subject_secret), c.name);
  }
  for (const c of refusals) assert.throws(() => unwrapForSubject(c.wrapped, c), Error, c.name);
  for (const c of sealedRefusals) assert.throws(() => openSubject(c.sealed, c), Error, c.name);
  requireUniqueNames(cases, refusals, sealedRefusals);
  return {
    description:
      'Subjects: the ids of people, their sealed secrets, and data keys that open only with them. Only the service needs these; a client treats wrapped_key as opaque.',
    format: [
      'All bytes are standard base64 with padding; ids of people are hex. `tenant` and `key` are UUIDs, `context` an object of strings or null.',
      'cases, ids: `subject_id` = HMAC-SHA-256(HKDF-SHA-256(`tenant_secret`, no salt, pae("eaas tenant v1", `tenant`, "subjects"), 32), `subject`); `user_id` is the id of a user with this name, the same with "users".',
      'cases, the secret: sealing `subject_secret` as sealed-secret.json says, with the sealing key of `tenant_secret`, purpose subject, `tenant`, no key, version 0, context {"subject": `subject_id`} and `seal_salt`, must give `sealed`.',
      'cases, wrapping: `wrapped` = head || AES-256-GCM(k, 12 zero bytes, AAD = pae(head, encoded `context`), `dek`), 78 bytes, with head = 01 02 || u32(`version`) || `salt` and k = HMAC-SHA-256(HMAC-SHA-256(`version_secret`, pae("eaas subject v1", `subject_secret`)), pae("eaas wrap v2", `tenant`, `key`, `version`, "dek", `salt`)).',
      'refusals: opening `wrapped` with `version_secret`, `subject_secret` (null: without a subject, as sealed-secret.json says), `tenant`, `key`, `version` (which its head must name) and `context` must fail.',
      'sealed_refusals: opening `sealed` with `tenant_secret`, `tenant` and `subject_id` must fail.',
    ],
    cases: cases.map(shownCase),
    refusals: refusals.map(shownRefusal),
    sealed_refusals: sealedRefusals.map(shownSealedRefusal),
  };
}
