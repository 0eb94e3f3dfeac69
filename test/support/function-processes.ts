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
