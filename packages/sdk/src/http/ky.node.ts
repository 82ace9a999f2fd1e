// The library that sends requests, in Node: loaded by the first one, because it makes Node load `fetch`, which takes longer than
// to load the SDK. A client of a service inside the process sends none.
export const loadKy = async () => (await import('./ky.ts')).loadKy();
