/**
 * Imports the bundle in the first argument as Lambda's runtime does, and prints its duration, CPU time and memory.
 *
 * With `in-lambda`, `node:http` is loaded first, since Lambda's runtime uses it:
 * https://github.com/aws/aws-lambda-nodejs-runtime-interface-client
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

export interface ImportCost {
  ms: number;
  cpuMs: number;
  rssMb: number;
}

const [file = '', mode] = process.argv.slice(2);
Object.assign(globalThis, {
  awslambda: { streamifyResponse: (handler: unknown) => handler, HttpResponseStream: { from: () => null } },
});
if (mode === 'in-lambda') createRequire(import.meta.url)('node:http');

const cpu = process.cpuUsage();
const startedAt = performance.now();
const loaded = await import(pathToFileURL(file).href);
const ms = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpu);
// The exports of a CommonJS bundle may be available through the default export only.
if (typeof (loaded.handler ?? loaded.default?.handler) !== 'function') {
  throw new Error(`${file} does not export a handler`);
}
const cost: ImportCost = { ms, cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1e6 };
console.log(JSON.stringify(cost));
