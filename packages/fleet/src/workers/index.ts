export { serveWithWorkers } from './main.ts';
export { work } from './worker.ts';
