/** Events of the local run that AWS publishes metrics about, for tests that evaluate the template's alarms. */
import type { JsonObject } from './untyped-json.ts';

export interface InvokedFunction {
  functionName: string;
  /** The alias through which it was invoked. */
  qualifier: string | undefined;
}

export type ServiceEvent =
  /** `concurrency` includes this invocation. */
  | { kind: 'invocation started'; invoked: InvokedFunction; concurrency: number }
  | { kind: 'invocation ended'; invoked: InvokedFunction; durationMs: number; isError: boolean }
  | { kind: 'invocation throttled'; invoked: InvokedFunction }
  /** The age of the last record of a batch when it is sent to the function. */
  | { kind: 'records sent'; functionName: string; ageMs: number }
  | { kind: 'line written'; functionName: string; line: string }
  /** `status` is `null` if the client disconnected before the response. */
  | { kind: 'function URL responded'; invoked: InvokedFunction; status: number | null }
  | { kind: 'API responded'; api: string; stage: string; status: number | null; latencyMs: number }
  | { kind: 'DynamoDB responded'; operation: string; request: JsonObject; latencyMs: number }
  | { kind: 'DynamoDB failed'; operation: string; request: JsonObject; response: string }
  | { kind: 'queue sampled'; queueName: string; visibleMessages: number; hiddenMessages: number };
