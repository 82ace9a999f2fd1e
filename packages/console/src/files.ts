/** The URL of the folder with the built pages: `index.html`, `console/index.html` and `console/assets/`. */
const files: URL = new URL('../dist/', import.meta.url);
export default files;
