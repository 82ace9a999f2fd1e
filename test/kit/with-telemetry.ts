import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eaasImporting } from './program.ts';
import { root } from './markdown.ts';
import { requireTools } from './tools.ts';

export async function telemetryFolder() {
  const modules = await requireTools('test/tools/otel');
  const folder = await mkdtemp(join(tmpdir(), 'eaas-telemetry-'));
  await cp(join(root, 'examples/observability'), folder, { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(modules, '@opentelemetry'), join(folder, 'node_modules/@opentelemetry'));
  await symlink(join(root, 'node_modules/@eaas'), join(folder, 'node_modules/@eaas'));
  return {
    folder,
    program: eaasImporting(join(folder, 'telemetry.mjs')),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 20 }),
  };
}
