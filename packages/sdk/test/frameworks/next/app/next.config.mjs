import { join } from 'node:path';

// Next.js reads only files inside its root. The packages of the app are links to other folders of the repository, so
// the root is the folder of the repository.
const root = join(import.meta.dirname, '../../../../../..');

export default { turbopack: { root }, outputFileTracingRoot: root };
