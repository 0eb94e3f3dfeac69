import type { AuditTrail } from './audit-trail.ts';
import type { AuditEvent, AuditValues } from './record.ts';

/**
 * Records the work's begin and end. `work` resolves to what it has changed. If it rejects, the operation is recorded as failed,
 * and the result rejects with the same error.
 */
export async function runOperation(
  audit: AuditTrail,
  event: AuditEvent,
  work: () => Promise<AuditValues>,
): Promise<void> {
  const operation = await audit.start(event);
  let after: AuditValues;
  try {
    after = await work();
  } catch (error) {
    // Without the record, it counts as interrupted. The first error is the one to report.
    await operation.fail().catch(() => {});
    throw error;
  }
  await operation.complete(after);
}
