// `docker` and `docker compose` for tests: Docker's own, or podman and podman-compose with a storage that ends with the test.
import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { isInstalled } from './available.ts';
import { closing } from './closing.ts';
import { newDirectory } from './directory.ts';
import { root } from './markdown.ts';

const works = (...command: [string, ...string[]]): boolean =>
  spawnSync(command[0], command.slice(1)).status === 0;

const hasDocker = works('docker', 'info') && works('docker', 'compose', 'version');
const neededByPodman = ['podman', 'podman-compose', 'catatonit', 'debootstrap', 'pip'];

export const hasContainers = hasDocker || neededByPodman.every((program) => isInstalled(program));

/** Returns the variables with which a shell finds a `docker` that has the given images, pulled or made. */
export async function openContainers(images: readonly string[]): Promise<Record<string, string>> {
  if (hasDocker) return {};
  const folder = await newDirectory();
  const bin = join(folder, 'bin');
  await mkdir(bin);
  for (const name of ['docker', 'podman']) {
    await symlink(join(root, `test/self-host/${name}.sh`), join(bin, name));
  }
  const env = {
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
    BUILDAH_FORMAT: 'docker', // the other format has no health checks
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  };
  // Files and locks of its own keep it apart from other containers of this machine.
  await writeFile(
    env.CONTAINERS_CONF,
    `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
runtime = "runc"
tmp_dir = "${folder}/tmp"
[network]
network_backend = "netavark"
network_config_dir = "${folder}/networks"
`,
  );
  await writeFile(
    env.CONTAINERS_STORAGE_CONF,
    `[storage]
driver = "overlay"
graphroot = "${folder}/graph"
runroot = "${folder}/run"
`,
  );
  const run = (program: string, ...args: string[]): boolean =>
    spawnSync(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] })
      .status === 0;
  await closing(undefined, () => {
    run('podman', 'rm', '--all', '--force', '--volumes');
    run('podman', 'network', 'prune', '--force');
  });
  if (!images.every((image) => run('timeout', '60', 'podman', 'pull', '--quiet', image))) {
    const making = join(folder, 'images');
    await mkdir(making);
    if (!run(join(root, 'test/self-host/make-images.sh'), making)) {
      throw new Error('the images could not be made');
    }
  }
  return env;
}
