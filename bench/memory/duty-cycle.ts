/** Stops a process and lets it go on, from a thread of its own, which keeps time by turning while the process runs. */
import { isMainThread, Worker, workerData } from 'node:worker_threads';

export interface DutyCycle {
  periodMs: number;
  /** Of each period, in which the process runs. */
  share: number;
}

interface Orders extends DutyCycle {
  pid: number;
  /** Not zero: it is over. */
  over: Int32Array;
}

/** What is returned ends it. */
export function startDutyCycle(pid: number, cycle: DutyCycle): () => void {
  if (cycle.share >= 1) return () => {};
  const over = new Int32Array(new SharedArrayBuffer(4));
  const orders: Orders = { pid, over, ...cycle };
  new Worker(import.meta.filename, { workerData: orders }).unref();
  return () => {
    Atomics.store(over, 0, 1);
    Atomics.notify(over, 0);
  };
}

function turn({ pid, over, periodMs, share }: Orders): void {
  let beginsAt = performance.now();
  while (Atomics.load(over, 0) === 0 && signal(pid, 'SIGCONT')) {
    while (performance.now() < beginsAt + periodMs * share);
    signal(pid, 'SIGSTOP');
    beginsAt += periodMs;
    Atomics.wait(over, 0, 0, Math.max(0, beginsAt - performance.now()));
  }
}

/** Whether there is still somebody to tell. */
function signal(pid: number, name: 'SIGCONT' | 'SIGSTOP'): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

if (!isMainThread) turn(workerData);
