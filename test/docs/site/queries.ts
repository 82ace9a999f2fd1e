// What readers type into the search of the site, and the addresses of the pages that are useful to them. Written before the
// search was tuned for it.

/** Pages that a useful answer may also be on once they exist. */
export const later: readonly string[] = ['/costs', '/errors', '/faq', '/glossary', '/sdk/key-per-customer'];

/** By words that readers type, the pages of which one should be among the first two that the search finds. */
export const usefulPages: Readonly<Record<string, string>> = {
  'drizzle postgres, column-level encryption': '/drizzle/ /sdk/orm /start/tokens',
  'field-level encryption': '/sdk/fields /drizzle/ /prisma/ /concepts /overview',
  'application-level encryption, encryption at rest, envelope encryption': '/concepts /overview /glossary',
  'searchable encryption, full text search': '/sdk/search /sdk/choose-an-index',
  'blind index': '/sdk/choose-an-index /glossary /migrate/leakage',
  embedding: '/sdk/choose-an-index /faq',
  'order by, LIKE, sort': '/sdk/fields /sdk/search /sdk/lists',
  'unique email': '/sdk/fields /sdk/search',
  'json column, nullable, which types': '/sdk/fields',
  'KMS, AWS KMS without a server': '/local/ /examples/local-kms/ /costs',
  price: '/costs /limits',
  'cost, how many requests': '/costs /limits',
  'performance, slow': '/benchmarks /limits /costs /sdk/lists',
  'leaked key, key compromised': '/start/tokens /operating/runbook /local/ /migrate/tables',
  'lost key': '/operating/root-key /local/ /operating/backups /operating/runbook /faq',
  're-encrypt, rotate': '/migrate/tables /migrate/',
  'encrypt existing data': '/migrate/ /migrate/tables /migrate/adopt',
  python: '/examples/open-with-python/ /data-team',
  'metabase, BI': '/data-team',
  'staging data': '/data-team',
  'decryption failed, error message': '/errors /sdk/',
  'uninstall, remove encryption, decrypt everything, export plaintext': '/migrate/leave',
  'rename a column': '/sdk/change-your-schema',
  'breaking changes, changelog': '/changelog /compatibility',
  'stability, upgrade': '/compatibility /operating/upgrade',
  'unit tests, CI': '/sdk/testing',
  'React, encrypt in the browser': '/sdk/browser /start/next /start/next-edge',
  'E2EE, chat': '/sdk/passkey /sdk/half /sdk/browser /faq',
  'local-first': '/local/ /start/script /sdk/browser',
  'multi-tenant, one key per customer, per-tenant': '/sdk/key-per-customer /sdk/customer-key',
  BYOK: '/sdk/customer-key /sdk/key-per-customer',
  'PII, GDPR': '/sdk/people /sdk/erase-a-person /evidence /sdk/conceal',
  'HIPAA, security audit': '/evidence /sdk/security',
  rails: '/comparison /slots /faq',
  'Prisma 8': '/prisma/ /faq',
  'serverless cold start': '/start/lambda /start/workers /costs',
  MongoDB: '/sdk/orm /faq',
  'hash passwords': '/faq /sdk/security',
};

/** By pages, words for which the page is the first that the search finds. */
export const foundFirst: Readonly<Record<string, string>> = {
  '/migrate/tables':
    'rotate a key, rotate, key rotation, change the encryption key, migrate a table, encrypt existing data, encrypt a table that already has data',
  '/migrate/adopt': 'createCipheriv',
  '/sdk/outages': 'outage, survive an outage, what happens if the service is down',
  '/operating/backups': 'back up, backup, restore a backup, disaster recovery',
  '/sdk/search': 'search by month, month, date range',
  '/sdk/erase-a-person': 'GDPR, erase, right to be forgotten, Article 17, erase a customer, crypto-shredding',
  '/sdk/know-who-read': 'who read, right of access, Article 15',
  '/sdk/choose-an-index': 'choose an index, which index, index, blind index',
  '/sdk/customer-key': 'BYOK',
  '/sdk/sign-in': 'OIDC, identity provider',
  '/sdk/': 'error code',
  '/concepts': 'envelope encryption, client-side encryption',
  '/evidence': 'HIPAA, SOC 2',
  '/operating/commands': 'environment variables, variables',
  '/operating/kubernetes': 'Kubernetes',
  '/operating/threat-model': 'key hierarchy',
  '/operating/alarms': 'alarm',
  '/operating/root-key': 'root key',
  '/examples/self-host/': 'Docker',
  '/sdk/security': 'cryptographic primitives',
};
