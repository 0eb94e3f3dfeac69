/** The function `TestRequest` passes on responses of the gateway, as in `docs/openapi.yaml`. These are the fields that the page reads. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';

/** By route, below `/dashboard/api`. */
export interface TestResponses {
  'POST /test-requests/models': { data: CallableModel[] };
  'POST /test-requests/entry': TestEntry;
}

export interface CallableModel {
  id: string;
  operations: readonly OperationName[];
}

export interface TestEntry
  extends Pick<
    LogEntry,
    | 'id'
    | 'provider'
    | 'input_tokens'
    | 'output_tokens'
    | 'latency_ms'
    | 'pricing'
    | 'usage_source'
    | 'outcome'
  > {
  model: string;
  /** Exact up to 1,000 dollars, although it is a number. */
  cost_usd: number;
}
