import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import type { TestOrganization } from '../support/operator.ts';

export function createEntries({ organizationId }: TestOrganization, count: number): LogEntry[] {
  return Array.from({ length: count }, (_, index) =>
    logEntry({
      id: createLogId(Date.now()),
      organization_id: organizationId,
      input_tokens: 10 + index,
      output_tokens: 1 + index,
      cost_usd: `0.00${index + 1}`,
    }),
  );
}
