import { parseAllDocuments } from 'yaml';
import { expect, test } from 'vitest';
import { readServerConfig } from '../../packages/cli/src/config.ts';
import { program } from '../../packages/cli/src/program.ts';
import { read } from '@eaas/test-kit/markdown';
import { leaves } from '@eaas/test-kit/cli';

// What can be checked of the manifest without a cluster.

interface Container {
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[];
}
interface Resource {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [Container] } } };
}

// Kubernetes reads YAML 1.1, in which 0440 is octal.
const documents = ['eaas', 'envoy-gateway'].flatMap((name) =>
  parseAllDocuments(read(`examples/kubernetes/${name}.yaml`), { version: '1.1' }),
);
const page = read('docs/operating/kubernetes.md');

function specOf(wanted: string): Resource['spec'] {
  const resources = documents.map((document) => document.toJS() as Resource);
  const found = resources.find(({ kind }) => kind === wanted);
  if (!found) throw new Error(`expected a resource of the kind ${wanted} (got none)`);
  return found.spec;
}

const pods = [specOf('Deployment').template.spec, specOf('Job').template.spec] as const;
const [server, migration] = [pods[0].containers[0], pods[1].containers[0]];

/** What the commands of the page put into the Secrets, by their names. */
const secrets = new Map(
  Array.from(
    page.matchAll(/secret generic (\S+)[ \\\n]+--from-(?:literal|file)=([\w.]+)(?:='([^']+))?/g),
    ([, name = '', key = '', value = '']) => [name, [key, value.replace('…', 'password')] as const],
  ),
);

function configOf({ env = [], envFrom }: Container): ReturnType<typeof readServerConfig> {
  const given = envFrom.map(({ secretRef }) => secrets.get(secretRef.name) ?? []);
  return readServerConfig(Object.fromEntries([...given, ...env.map(({ name, value }) => [name, value])]));
}

test('the manifest is valid YAML, and its commands and those of the page exist', () => {
  expect(documents.flatMap(({ errors, warnings }) => errors.concat(warnings))).toEqual([]);
  const commands = leaves(program).map(([name]) => name);
  const typed = Array.from(page.matchAll(/(eaas)\.mjs (\w+)/g), ([, eaas, name]) => `${eaas} ${name}`);
  const started = [server, migration].map((each) => `eaas ${each.args.join(' ')}`);
  expect(commands).toEqual(expect.arrayContaining([...started, ...typed]));
  const dockerfile = read('examples/self-host/Dockerfile');
  for (const [path] of page.matchAll(/\/app\/\S+/g)) expect(dockerfile).toContain(`"${path}"`);
});

test('the servers and the migration start with the variables of the manifest', () => {
  const config = configOf(server);
  expect(config).toMatchObject({ host: '0.0.0.0', port: 8080, unencrypted: false, warnings: [] });
  expect([config.rootKey, config.migrateDatabaseUrl]).toEqual([expect.anything(), null]);
  const { migrateDatabaseUrl, databaseUrl, rootKey, warnings } = configOf(migration);
  expect([migrateDatabaseUrl, databaseUrl].every((url) => url?.endsWith('sslmode=verify-full'))).toBe(true);
  expect([rootKey, warnings]).toEqual([null, []]);
});

test('the pods have the root key, probes, rights, time and memory that the manual asks for', () => {
  const mode = /`defaultMode: (\d+)`/.exec(read('docs/operating/root-key.md'))?.[1];
  const replicas = read('docs/operating/replicas.md');
  const [, megabytes] = /Plan (\d+) MB per server/.exec(replicas) ?? [];
  const [, seconds] = /supervisor wait\s+(\d+) s/.exec(replicas) ?? [];
  const secret = { secretName: 'eaas-root-key', defaultMode: Number.parseInt(mode ?? '', 8) };
  const container = {
    ports: [{ name: 'http', containerPort: 8080 }],
    livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
    readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
    volumeMounts: [{ name: 'root-key', mountPath: '/run/eaas', readOnly: true }],
    resources: { limits: { memory: `${megabytes}Mi` } },
  };
  expect(pods[0]).toMatchObject({
    terminationGracePeriodSeconds: Number(seconds),
    containers: [container],
    volumes: [{ name: 'root-key', secret }],
  });
  expect(server.env?.map(({ value }) => value)).toContain(`/run/eaas/${secrets.get('eaas-root-key')?.[0]}`);
  const routes = read('packages/server/src/http/pages.ts');
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    expect(routes).toContain(`servePage(app, '${path}'`);
  }
  const drop = { capabilities: { drop: ['ALL'] } };
  const securityContext = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, ...drop };
  for (const pod of pods) {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      // Otherwise Kubernetes sets EAAS_PORT, because a Service has the name eaas.
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
      containers: [{ securityContext }],
    });
  }
});

test('the Service, the policy and the budget select the servers', () => {
  const selected = { matchLabels: { app: 'eaas' } };
  expect(specOf('Deployment')).toMatchObject({
    selector: selected,
    template: { metadata: { labels: { app: 'eaas' } } },
  });
  expect(specOf('Service')).toMatchObject({ selector: { app: 'eaas' }, ports: [{ targetPort: 'http' }] });
  expect(specOf('HTTPRoute')).toMatchObject({ rules: [{}, { backendRefs: [{ name: 'eaas', port: 80 }] }] });
  expect(specOf('NetworkPolicy')).toMatchObject({ podSelector: selected });
  expect(specOf('PodDisruptionBudget')).toMatchObject({ selector: selected });
});
