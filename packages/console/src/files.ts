// Where the built pages are. `@eaas/server` serves them; another program does this:
//
// - It serves `index.html` at `/`, `console/index.html` at `/console/` and `docs/index.html` at `/docs`, all uncached, and the API at
//   the same origin, below `/v1/`. Without a playground, it serves `console/without-playground.html` at `/console/`, and nothing at `/`.
// - With playground and console, it sends the content security policy
//   default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self';
//   base-uri 'none'; form-action 'none'; frame-ancestors 'none'
//   and with the API page, default-src 'none'; style-src 'sha256-…'; img-src data:; frame-ancestors 'none', where … is the hash of
//   the page's <style>.
//
// Users sign in with an API key, which stays in memory until a reload, or with a URL that has a one-time code,
// `/#code=<43 characters>`. The page sends it to `POST /console/session` as `{ "code": "…" }`. The response is 401, or 201 with
// `{ "api_key": "eaas_sk_…", "expires_at": "…", "tenant": "…" }`; the tab's `sessionStorage` keeps this API key until it expires or
// the user signs out. The playground asks before it creates, uses or rotates its key, because the tenant can be in production.

/** The URL of the folder with the built pages: `index.html`, `console/index.html` and `console/assets/`. */
const files: URL = new URL('../dist/', import.meta.url);
export default files;
