// Breaks of stored data: fingerprints, columns, the index key, key files, hashes and evidence become others than they were. The vectors
// must notice each.
import { breaksIn } from '../breaks.ts';

const fields = 'packages/sdk/src/fields';
const ofFields = [`${fields}/vectors.test.ts`];
const [local, ofLocal] = ['packages/local/src', ['packages/local/src/vectors.test.ts']];
const [audit, ofAudit] = ['packages/audit/src', ['packages/audit/src/vectors.test.ts']];

export const breaks = [
  ...breaksIn(`${fields}/text-rules.ts`, ofFields, {
    'apostrophes-in-words': ['[\\p{L}\\p{M}\\p{N}]+', "[\\p{L}\\p{M}\\p{N}'’]+"],
    'halves-of-characters': ['partOf(Array.from(text))', "partOf(text.split(''))"],
  }),
  ...breaksIn(`${fields}/normalize.ts`, ofFields, {
    'accents-by-nfkd': [".normalize('NFD')", ".normalize('NFKD')"],
    'sigmas-that-differ': ["character === 'ς' ? 'σ' : ", ''],
  }),
  ...breaksIn(`${fields}/unicode-15.ts`, [...ofFields, `${fields}/unicode-15.test.ts`], {
    'the-unicode-of-the-runtime': ['text.replace(assigned(), change)', 'change(text)'],
  }),
  ...breaksIn(`${fields}/value-types.ts`, ofFields, {
    'dates-with-the-tag-of-bytes': ['date: 0xfb, bytes: 0xfc', 'date: 0xfc, bytes: 0xfb'],
  }),
  ...breaksIn(`${fields}/plan.ts`, ofFields, {
    'contexts-without-a-row': ["if (field.context === 'field')", "if (field.context !== 'row')"],
    'ids-in-two-cases': ['return parseUuid(id) ?? id;', 'return id;'],
    'parts-with-the-label-of-values': ["labelOf('eaas part index v1'", "labelOf('eaas field index v1'"],
  }),
  ...breaksIn(`${fields}/range-rules.ts`, ofFields, {
    'months-from-one': ['* 12 + date.getUTCMonth()', '* 12 + date.getUTCMonth() + 1'],
  }),
  ...breaksIn(`${fields}/date-range.ts`, ofFields, {
    'months-with-another-word': ['`month ${month}`', '`m ${month}`'],
  }),
  ...breaksIn('packages/protocol/src/index-key.ts', ofFields, {
    'index-keys-of-another-context': ["'eaas index key v1'", "'eaas index key'"],
  }),
  ...breaksIn('packages/service/src/rules/key-crypto.ts', ['packages/service/src/crypto/vectors.test.ts'], {
    'hashes-of-trimmed-values': ['toUtf8(value)', 'toUtf8(value.trim())'],
  }),
  ...breaksIn(`${local}/file-opener.ts`, ofLocal, {
    'passphrases-by-nfkc': ["normalize('NFC')", "normalize('NFKC')"],
  }),
  ...breaksIn(`${local}/key-file-format.ts`, ofLocal, {
    'files-with-another-mac': ["'local-file'", "'file'"],
    'defaults-that-change': ['min_version: 1,', 'min_version: 2,'],
    'members-that-the-next-change-drops': ['isMissing || !Object', 'isMissing && !Object'],
  }),
  ...breaksIn(`${audit}/entry-proof.ts`, ofAudit, {
    'entries-in-another-order': ["'ip_address',\n  'metadata',", "'metadata',\n  'ip_address',"],
  }),
  ...breaksIn(`${audit}/evidence.ts`, ofAudit, {
    'hidden-entries-with-another-member': ['{ id, digest: digestOf(entry)', '{ id, hash: digestOf(entry)'],
  }),
];
