/**
 * One start of the function: imports its bundle (the first argument) as Lambda's runtime does, and prints what that took.
 *
 * Node's modules that the runtime has loaded by then, `node:http` with `require`, are there already.
 * https://github.com/aws/aws-lambda-nodejs-runtime-interface-client
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

export interface ImportCost {
  ms: number;
  cpuMs: number;
  rssMb: number;
}

const [file = '', preloaded] = process.argv.slice(2);
Object.assign(globalThis, {
  awslambda: { streamifyResponse: (handler: unknown) => handler, HttpResponseStream: { from: () => null } },
});
if (preloaded === 'as-in-lambda') createRequire(import.meta.url)('node:http');

const cpu = process.cpuUsage();
const startedAt = performance.now();
const loaded = await import(pathToFileURL(file).href);
const ms = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpu);
// Of CommonJS, what is exported under a name may be in the default export alone.
if (typeof (loaded.handler ?? loaded.default?.handler) !== 'function')
  throw new Error(`${file} has no handler`);
const cost: ImportCost = { ms, cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1e6 };
console.log(JSON.stringify(cost));
