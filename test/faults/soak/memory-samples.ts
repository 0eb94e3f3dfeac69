/** Samples the resident memory of the functions' processes every ten seconds. */
import type { LocalGateway } from '#local/local-gateway.ts';
import { listProcesses } from '#test/support/processes.ts';

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

export async function startSampling(
  gateway: Pick<LocalGateway, 'functionProcesses'>,
): Promise<MemorySamples> {
  const byProcess = new Map<string, MemorySample[]>();
  const sample = async () => {
    const running = new Map((await listProcesses()).map((process) => [process.id, process]));
    for (const { functionName, processId } of gateway.functionProcesses()) {
      const process = running.get(processId);
      if (process === undefined || process.isZombie) continue;
      const name = `${shortName(functionName)} (${processId})`;
      const megabytes = process.residentBytes / 1024 ** 2;
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

/** Removes the stack's name and the hash from the function's name. */
function shortName(functionName: string): string {
  return functionName.replace(/^[^-]*-/, '').replace(/(Function)?[0-9A-F]{8}$/, '');
}
