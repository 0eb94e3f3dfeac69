/**
 * Preloaded into a function's process. Kills it right before the promise continuation with the number `KILL_AT`, counted
 * from its first invocation. Without `KILL_AT`, prints the number of continuations.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { flushCompileCache } from 'node:module';
import { promiseHooks } from 'node:v8';
import type { WorkerMessage } from '#local/functions/worker.ts';

const killAt = Number(process.env.KILL_AT);
delete process.env.KILL_AT;
delete process.env.NODE_OPTIONS;

let continuations = 0;
const sendToParent = process.send?.bind(process);

/** Invocations are HTTP requests. Node publishes their start on this diagnostics channel. */
const channel = 'http.server.request.start';
subscribe(channel, startCounting);

process.send = (message: WorkerMessage) => {
  if (message.kind === 'ended') printCount();
  return sendToParent?.(message) ?? false;
};

function startCounting(): void {
  unsubscribe(channel, startCounting);
  promiseHooks.onBefore(countOne);
}

function printCount(): void {
  process.stdout.write(`${JSON.stringify({ event: 'continuations', continuations })}\n`);
  // A killed process cannot write the cache for later ones.
  flushCompileCache();
}

function countOne(): void {
  continuations += 1;
  if (continuations === killAt) process.kill(process.pid, 'SIGKILL');
}
