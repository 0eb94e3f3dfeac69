/** Samples the resident memory of the functions' processes every ten seconds (Linux). */
import { readFile } from 'node:fs/promises';
import { functionProcessIds } from '#test/support/function-processes.ts';

export interface MemorySample {
  atMs: number;
  megabytes: number;
}

export interface MemorySamples {
  /** Keys are the function's name and the process id. */
  byProcess: ReadonlyMap<string, readonly MemorySample[]>;
  stop(): Promise<void>;
}

const sampleIntervalMs = 10_000;

export async function startSampling(): Promise<MemorySamples> {
  const byProcess = new Map<string, MemorySample[]>();
  const sample = async () => {
    for (const id of await functionProcessIds('')) {
      const megabytes = await residentMegabytes(id);
      if (megabytes === null) continue;
      const name = `${await functionName(id)} (${id})`;
      byProcess.set(name, [...(byProcess.get(name) ?? []), { atMs: Date.now(), megabytes }]);
    }
  };
  await sample();
  const timer = setInterval(sample, sampleIntervalMs);
  return {
    byProcess,
    async stop() {
      clearInterval(timer);
      await sample();
    },
  };
}

async function residentMegabytes(processId: number): Promise<number | null> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

/** Removes the stack's name and the hash from the function's name. */
async function functionName(processId: number): Promise<string> {
  const environment = await readFile(`/proc/${processId}/environ`, 'utf8').catch(() => '');
  const name = /(?:^|\0)AWS_LAMBDA_FUNCTION_NAME=([^\0]*)/.exec(environment)?.[1] ?? '';
  return name.replace(/^[^-]*-/, '').replace(/(Function)?[0-9A-F]{8}$/, '');
}
