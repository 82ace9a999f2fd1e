export { type Endpoint, endpoints, type Input, type Item, type Output, type Route } from './endpoints.ts';
export { explain } from './explain.ts';
export { problemDocument } from './problem-document.ts';
