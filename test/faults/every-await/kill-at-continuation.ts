/**
 * Loaded into a function's process before all else: kills it when the n-th continuation of a promise is about to run,
 * counted from when the function is ready. `KILL_AT` says which; without it, the process says how many there were.
 */
import { flushCompileCache } from 'node:module';
import { promiseHooks } from 'node:v8';
import type { WorkerMessage } from '#local/functions/function-process.ts';

const killAt = Number(process.env.KILL_AT);
delete process.env.KILL_AT;
delete process.env.NODE_OPTIONS;

let continuations = 0;
const tellParent = process.send?.bind(process);

process.send = (message: WorkerMessage) => {
  if (message.kind === 'ready') promiseHooks.onBefore(countOne);
  if (message.kind === 'ended') tellCount();
  return tellParent?.(message) ?? false;
};

function tellCount(): void {
  console.log(JSON.stringify({ event: 'continuations', continuations }));
  // A process that is killed leaves nothing to those that come after it.
  flushCompileCache();
}

function countOne(): void {
  continuations += 1;
  if (continuations === killAt) process.kill(process.pid, 'SIGKILL');
}
