// All variables of Eaas: name, default and meaning. The page of variables is made from it, and whoever misspells one is told.

/** What `eaas` reads. */
const ofService = `
EAAS_DATABASE_URL | \`eaas dev\` brings its own | PostgreSQL for the server's role: \`postgres://user:password@host:5432/database\`
DATABASE_URL |  | used if neither that nor \`EAAS_DATA_DIR\` is set; [it can be the app's](#which-data-a-command-uses)
EAAS_MIGRATE_DATABASE_URL | \`EAAS_DATABASE_URL\` | the same, with the role that owns the tables; for \`migrate\` and \`tenant destroy\`
EAAS_DATA_DIR | \`.eaas\` | directory of \`eaas dev\`, with its database and root key
EAAS_ROOT_KEY |  | the root key, 32 bytes in base64
EAAS_ROOT_KEY_FILE | \`root.key\` in \`EAAS_DATA_DIR\`, with \`eaas dev\` | a file that holds it
EAAS_ROOT_KEY_COMMAND |  | the absolute path of a program that prints it; only one of the three
EAAS_ROOT_KEY_PREVIOUS |  | the previous root key, during a [rotation](root-key.md#rotate-the-root-key-while-running)
EAAS_ROOT_KEY_PREVIOUS_FILE |  | a file that holds it
EAAS_ROOT_KEY_PREVIOUS_COMMAND |  | a program that prints it; only one of the three
EAAS_HOST | \`127.0.0.1\` | IP address to listen on; \`0.0.0.0\` or \`::\` for all
EAAS_PORT | \`8080\` | port to listen on
EAAS_TRUST_PROXY |  | addresses of proxies that may report the client's: \`10.0.0.5,fd00::/8\`
EAAS_INSECURE_HTTP | \`0\` | \`1\` allows HTTP without TLS to the network, without a proxy
EAAS_TLS_CERT_FILE |  | certificate chain, PEM; needs \`EAAS_TLS_KEY_FILE\`
EAAS_TLS_KEY_FILE |  | private key of the certificate, PEM
EAAS_AUDIT_RETENTION_MONTHS | \`60\` | how long audit entries are kept, 1 to 1200
EAAS_DRAIN_SECONDS | \`5\`; \`0\` with \`eaas dev\` | for how long a server that was told to stop still [serves](replicas.md), 0 to 300
EAAS_ISSUER_HOSTS |  | hosts from which the [keys of sign-ins](#hosts-of-sign-ins) may be fetched: \`sign-in.example,*.provider.example\`
EAAS_SCHEMA_ALLOW |  | names of your own triggers, rules, functions and child tables [in the schema](upgrade.md#a-changed-schema): \`my_trigger,my_schema.my_table\`
EAAS_STATE_DIR |  | a directory of this server alone, in which it [remembers the newest audit entries](audit-log.md#a-server-that-remembers)
EAAS_LOG_POLICY_FILE |  | switches the [public log](public-log.md) on: the file with its policy
EAAS_LOG_INTERVAL | \`60\` | seconds between two moments of the public log, 10 to 3600
EAAS_LOG_MONITORS | the URLs of the policy | where witnesses show what they signed: \`one=https://witness.example/one\`
EAAS_LOG_LEVEL | \`info\` (\`warn\` for \`eaas dev\`) | \`trace\`, \`debug\`, \`info\`, \`warn\`, \`error\`, \`fatal\` or \`silent\`
EAAS_CONSOLE | \`0\`; \`1\` with \`eaas dev\` | \`1\` serves the [console](start.md#the-console)
EAAS_PLAYGROUND | \`0\`; \`1\` with \`eaas dev\` | \`1\` serves the [playground](start.md#the-console) too; needs the console
EAAS_PUBLIC_URL | the address that it listens on | the origin that browsers use to reach the server: \`https://eaas.example\`
`;

/** What apps and the other commands read. Developers often set them in the shell of the server too. */
const ofApps = `
EAAS_BASE_URL | | the address of the service
EAAS_API_KEY | | the API key of the app
EAAS_REMOTE | \`0\` | \`1\` lets commands of \`eaas\` call this service, as \`--remote\` does
EAAS_KEY_ID | | the key under which the app encrypts
EAAS_INDEX_KEY | | the secret of searchable columns
EAAS_HALF | | the [half of the app](../../packages/sdk/docs/half.md), which \`eaas half new\` makes
EAAS_HALF_ID | | the id of this half, by which the service's answers are checked
EAAS_LOCAL | | the keys of a [local service](../../packages/local/README.md) in one variable, instead of a service
EAAS_LOCAL_PASSPHRASE | | the passphrase of its key file
EAAS_LOCAL_KEY_COMMAND | | the absolute path of a program that prints the key of the file; only one of the two
EAAS_LOCAL_KMS_COMMAND | | the absolute path of a program that seals and opens the lock of the variable by a key service
EAAS_LOCAL_NEW_PASSPHRASE | | the next passphrase, only for \`eaas-local lock\`
EAAS_LOCAL_NEW_KEY_COMMAND | | the program of the next lock
EAAS_LOCAL_NEW_KMS_COMMAND | | the program of the next key service
`;

const rowsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', otherwise = '', meaning = ''] = line.split('|').map((cell) => cell.trim());
      return { name, otherwise, meaning };
    });

export const variablesOf = { service: rowsOf(ofService), apps: rowsOf(ofApps) };
