/** Records operations that cannot be one transaction in the audit trail: before they begin, and at their end. */
import type { AuditAction, AuditEvent, AuditTarget, AuditValues } from '#lambdas/audit/record.ts';
import type { CommandContext } from './command-context.ts';

interface AuditedWork<Result> {
  /** Its `after` are the options of the operation. `null` for a dry run, which is not recorded. */
  event: AuditEvent | null;
  /** The signal of a long job: the last record says whether it was stopped. */
  signal?: AbortSignal;
  work(): Promise<Result>;
  /** The work that is done so far; all of it when there is a result. */
  counts(result?: Result): AuditValues;
}

/** Throws the errors of the work. Call it within a long job, so that a signal cannot prevent the last record. */
export async function recordOperation<Result>(
  { openAuditTrail, note }: Pick<CommandContext, 'openAuditTrail' | 'note'>,
  { event, signal, work, counts }: AuditedWork<Result>,
): Promise<Result> {
  if (event === null) return work();
  const operation = await (await openAuditTrail()).start(event);
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    const after = { ...event.after, ...counts(), ...(signal?.aborted && { stopped: true }) };
    await operation.fail(after).catch(({ message }: Error) => {
      note(`the audit trail has no record of the end: ${message}`);
    });
    throw error;
  }
  await operation.complete({ ...event.after, ...counts(result) });
  return result;
}

interface OperationScope {
  action: AuditAction;
  type: AuditTarget['type'];
  /** `null` for all organizations. */
  organizationId: string | null;
  options: AuditValues;
}

export function operationEvent({ action, type, organizationId, options }: OperationScope): AuditEvent {
  const target = { type, id: organizationId ?? 'all', name: null };
  return { action, organizationId, target, before: null, after: options };
}
