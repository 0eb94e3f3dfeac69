import { expect } from 'vitest';
import type { LocalGateway } from '#local/local-gateway.ts';

export function functionProcessIds(
  gateway: Pick<LocalGateway, 'functionProcesses'>,
  partOfName: string,
): number[] {
  return gateway
    .functionProcesses()
    .filter(({ functionName }) => functionName.includes(partOfName))
    .map(({ processId }) => processId);
}

/** Resolves when the processes have ended. The next invocation starts another one, which has nothing in its caches. */
export async function killFunction(
  gateway: Pick<LocalGateway, 'functionProcesses'>,
  partOfName: string,
): Promise<void> {
  const processIds = functionProcessIds(gateway, partOfName);
  for (const processId of processIds) process.kill(processId, 'SIGKILL');
  const running = () => functionProcessIds(gateway, partOfName).filter((id) => processIds.includes(id));
  await expect.poll(running, { interval: 20 }).toEqual([]);
}
