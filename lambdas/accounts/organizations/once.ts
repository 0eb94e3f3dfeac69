/**
 * Calls that have one effect, however often they are repeated with the same header `idempotency-key`: after a lost response, or
 * because a form was submitted twice.
 */
import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { AuditAction } from '#lambdas/audit/record.ts';
import { GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { readBodyText } from '#lambdas/platform/http/request.ts';
import { isUuid } from '#lambdas/platform/uuid.ts';
import type { DashboardResponse } from '../http/response.ts';
import type { RouteHandler } from '../organization-calls/call.ts';
import {
  callRecordItem,
  findRecordedCall,
  type IdempotentCall,
  recordUnchangedCall,
  requestHashOf,
} from '../recorded-calls.ts';
import type { OrganizationDependencies, UserCall } from './call.ts';

type Handler<Call, Body> = RouteHandler<Call, OrganizationDependencies, Body>;

interface OnceOptions<Call, Body> {
  /** The id of what the changes create; `null` if the response to a repetition does not need it. */
  createdIdOf(changes: readonly AuditedChange[]): string | null;
  /** Rejects with an error if the first response cannot be repeated. */
  repeat(
    call: Call,
    dependencies: OrganizationDependencies,
    createdId: string | null,
  ): Promise<DashboardResponse<Body>>;
}

const header = 'idempotency-key';

/** Without the header, each call has its effect. The record is that of the user, so no other user can learn of it. */
export function once<Call extends UserCall, Body>(
  handle: Handler<Call, Body>,
  { createdIdOf, repeat }: OnceOptions<Call, Body>,
): Handler<Call, Body> {
  return async (call, dependencies) => {
    const identified = await identify(call);
    if (identified === null) return handle(call, dependencies);
    const { accounts, now } = dependencies;
    const respondToRepetition = async () => {
      const recorded = await findRecordedCall(accounts, identified, now());
      if (recorded === null) return null;
      if (recorded.requestHash !== identified.requestHash) throw otherRequestError();
      return repeat(call, dependencies, recorded.createdId);
    };
    const repeated = await respondToRepetition();
    if (repeated !== null) return repeated;
    let isRecorded = false;
    const audit: AuditTrail = {
      ...call.audit,
      async transact(...changes) {
        const record = callRecordItem(accounts, identified, createdIdOf(changes), now());
        const failed = await transactWith(call.audit, changes, record);
        isRecorded ||= failed.length === 0;
        return failed;
      },
    };
    try {
      const response = await handle({ ...call, audit }, dependencies);
      if (!isRecorded) await recordUnchangedCall(accounts, identified, now());
      return response;
    } catch (error) {
      // The cause may be a repetition that was faster: it has written the record, or made the same change.
      const response = error instanceof GatewayError ? await respondToRepetition() : null;
      if (response !== null) return response;
      throw error;
    }
  };
}

/** The id of the target of the change with this action. */
export function idCreatedBy(action: AuditAction, changes: readonly AuditedChange[]): string | null {
  return changes.find(({ event }) => event.action === action)?.event.target.id ?? null;
}

/** For something that only the first response could show. */
export function alreadyCreatedError(createdId: string | null, message: string): GatewayError {
  return new GatewayError('conflict', { message, ...(createdId !== null && { created: { id: createdId } }) });
}

async function identify(call: UserCall): Promise<IdempotentCall | null> {
  const text = call.headers[header];
  if (text === undefined) return null;
  if (!isUuid(text)) throw invalidRequestError(header, `${header} must be a UUID`);
  const requestHash = requestHashOf(call, await readBodyText(call));
  return { userId: call.user.id, idempotencyKey: text.toLowerCase(), requestHash };
}

/** Like `transact`. Throws a `GatewayError` (409) if the record exists. */
async function transactWith(
  audit: AuditTrail,
  changes: readonly AuditedChange[],
  record: ReturnType<typeof callRecordItem>,
): Promise<readonly number[]> {
  const recordPosition = changes.reduce((count, { items }) => count + items.length, 0);
  const withRecord = changes.map((change, index) =>
    index === changes.length - 1 ? { ...change, items: [...change.items, record] } : change,
  );
  const failed = await audit.transact(...withRecord);
  if (failed.includes(recordPosition)) throw repeatedCallError();
  return failed;
}

function repeatedCallError(): GatewayError {
  return new GatewayError('conflict', {
    param: header,
    message: 'The same call has been made in the meantime: reload the page',
  });
}

function otherRequestError(): GatewayError {
  return new GatewayError('conflict', {
    param: header,
    message: `This ${header} belongs to another request of the last hour: use a new one`,
  });
}
