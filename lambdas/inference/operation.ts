/** An operation is an endpoint for AI models. It defines what `exchange/` does not share between operations. */
import type { OutputLimit, RequestSize } from '#lambdas/limits/estimate.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { ErrorResponse } from '#lambdas/platform/http/error-response.ts';
import type { RequestIdHeader } from '#lambdas/platform/http/request-id-header.ts';
import type { RequestedOptions } from '#lambdas/pricing/max-rates.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import type { KnownFacts, OriginalError, ReaderFacts, ResponseFacts } from './completion/facts.ts';
import type { ConversationState } from './conversation-state/state.ts';
import type { CallContext, PreparedRequest, Provider } from './providers/provider.ts';
import type { TextCounter } from './text-counter.ts';

export interface Operation extends ErrorFormat {
  readonly name: OperationName;
  /** Parses the body of a request. Throws a `GatewayError` (400) that names the invalid field. */
  parse(text: string): OperationRequest;
  /** The longest response that is read before it is sent to the caller, in bytes. Default: that of the limits. */
  readonly maxResponseBytes?: number;
  /** The shortest silence after which a stream gets a heartbeat, in milliseconds, whatever the setting is. Default: 0. */
  readonly minHeartbeatMs?: number;
  /** Sent as the heartbeat of a stream that has begun. Default: a comment. */
  readonly heartbeatEvent?: Buffer;
}

export interface ErrorFormat {
  /** The header in which clients of the format look for the id of their request. */
  readonly requestIdHeader: RequestIdHeader;
  renderError(failure: Failure): ErrorResponse;
  /** The event with which a stream ends after an error. */
  renderErrorEvent(failure: Failure): Buffer;
}

export interface Failure {
  error: GatewayError;
  /** The provider's own error, without the credential: some clients depend on its wording. */
  original: OriginalError | null;
  /** The id of the log entry, or else of the invocation; `null` outside of one. */
  requestId: string | null;
}

/** A request that has been parsed, with everything that depends on its format. */
export interface OperationRequest {
  /** `<provider>/<model>`. */
  readonly model: string;
  readonly stream: boolean;
  /** Throws a `GatewayError` (400) if the provider does not offer the operation. */
  prepareFor(provider: Provider): PrepareCall;
  /**
   * For an operation whose requests can continue what the provider keeps: throws a `GatewayError` (400, 404) if that is not the
   * organization's.
   */
  openState?(open: () => Promise<ConversationState>): Promise<void>;
  /** Called before the end of the response is sent, after which the caller may continue it. Never rejects. */
  keepState?(facts: ReaderFacts): Promise<void>;
  /** The usage of the request while nothing is known about its response. */
  estimateInput(): KnownFacts;
  /** Loads what completes the usage, while the provider works. */
  prefetch?(): void;
  /** Absent for an operation whose responses have no text, or whose writers count it. */
  createTextCounter?(): TextCounter;
  /** For a stream whose events are numbered. Default: that of the operation. */
  renderErrorEvent?: ErrorFormat['renderErrorEvent'];
  /** Completes the facts of a response whose provider may have charged for more than it reported. */
  completeUsage(response: ReceivedResponse): Promise<KnownFacts>;
  /** Everything of the request that bounds its cost, for a hard budget. Throws a `GatewayError` (400). */
  measureMaxCost(): Promise<RequestSize & RequestedOptions>;
}

/** Translates the request. Throws a `GatewayError` (400) that names what the provider does not support. */
export type PrepareCall = (context: CallContext) => Promise<PreparedRequest | SplitRequest>;

/** A request that takes several calls of the provider, whose responses are joined to a single body. */
export interface SplitRequest {
  readonly parts: readonly [RequestPart, ...RequestPart[]];
  /** `bodies` are in the order of the parts; `facts` are those of all parts together. */
  join(bodies: readonly Buffer[], facts: ResponseFacts): Buffer;
}

export interface RequestPart extends Pick<OperationRequest, 'estimateInput' | 'completeUsage'> {
  readonly prepared: PreparedRequest;
}

export interface ReceivedResponse {
  facts: ReaderFacts;
  /** Counts the text received, in UTF-8: only for a response whose own usage is not final. */
  textBytes(): number;
  /** True when a hard budget holds a reservation, which a cost that is not final must not replace. */
  isReserved: boolean;
  /** Reads the limit that was sent. */
  outputLimit: () => OutputLimit | Promise<OutputLimit>;
}
