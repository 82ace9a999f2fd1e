/** The folder of the built pages: `index.html`, `console/index.html`, and `console/assets/` with hashed names. */
const files: URL = new URL('../dist/', import.meta.url);
export default files;
