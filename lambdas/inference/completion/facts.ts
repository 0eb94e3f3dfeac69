/** The facts about a response that are read from it: for its log entry, its price, and the way it is passed on. */
import { type ErrorCode, GatewayError, type GatewayErrorDetails } from '#lambdas/platform/errors.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import type { PriceContext, PricingGap } from '#lambdas/pricing/price-context.ts';
import type { BilledParts, TokenUsage, UnitKind, UsageWarning } from '#lambdas/pricing/usage.ts';

/** The facts about a response that the log entry records. */
export interface ResponseFacts extends BillingFacts {
  responseModel: string | null;
  /** The id of the response for the caller, which is the gateway's in some formats. */
  responseId: string | null;
  /** The finish reason of the first choice that has one. */
  finishReason: string | null;
}

/** The facts that determine the cost. */
export interface BillingFacts extends Omit<PriceContext, 'region'> {
  usage: TokenUsage | null;
  /** The parts of `usage` that are billed separately; `null` when all of it is billed at one price. */
  billedParts: BilledParts | null;
  /** Signs that `usage` cannot be right, in the order of `usageWarnings`. */
  usageWarnings: readonly UsageWarning[];
  /** Charges that the response shows without their amount. */
  pricingGaps: readonly PricingGap[];
  /** The cost as the provider states it. */
  reportedCostUsd: Usd | null;
}

/** Counts of what is billed by unit instead of by token. */
export type UnitCounts = Pick<TokenUsage, UnitKind>;

export const noBilling: BillingFacts = {
  serviceTier: null,
  speed: null,
  inferenceGeo: null,
  usage: null,
  billedParts: null,
  usageWarnings: [],
  pricingGaps: [],
  reportedCostUsd: null,
};

export const noFacts: ResponseFacts = {
  ...noBilling,
  responseModel: null,
  responseId: null,
  finishReason: null,
};

export interface ReaderFacts extends ResponseFacts {
  /** Set when the provider has begun to answer: with the first event for the caller that is neither a comment nor an error. */
  started: boolean;
  /** Set when nothing of the answer is missing: every choice has a finish reason, or the provider has marked the end. */
  finished: boolean;
  /** Set when content follows a finish reason, which some servers send in each chunk. The relay resets it. */
  continued: boolean;
  /** Set when everything has been returned for the caller; what the provider sends after it is ignored. */
  ended: boolean;
  /** An error that the response contains; nothing after it is forwarded. Its usage is logged. */
  error: GatewayError | null;
  /** The charged units that the stream has shown so far. They are a part of `usage` once there is one. */
  unitCounts?: UnitCounts;
  /** Set at the end of a response of which the provider may keep something, to which later requests can refer. */
  kept?: KeptIds;
  /** The size of the text in UTF-8, if the reader assembles a completion from a stream. Others leave it to the relay. */
  textBytes?: number;
}

/** The provider's ids of a response and its contents. */
interface KeptIds {
  /** Empty if the response has none. */
  id: string;
  items: readonly string[];
  /** They outlive also a response that is not stored. */
  containers: readonly string[];
  /** False if the provider says that it does not store the response. */
  isStored: boolean;
}

export function startReaderFacts(): ReaderFacts {
  return { ...noFacts, started: false, finished: false, continued: false, ended: false, error: null };
}

/** Whether nothing more may be written for the caller. */
export function isOver({ ended, error }: Pick<ReaderFacts, 'ended' | 'error'>): boolean {
  return ended || error !== null;
}

/** The facts without the state of the reader. */
export function responseFactsOf(facts: ReaderFacts): ResponseFacts {
  const { started, ended, finished, continued, error, unitCounts, kept, textBytes, ...known } = facts;
  return known;
}

export interface KnownFacts {
  facts: ResponseFacts;
  isUsageEstimated: boolean;
}

/** An error of a provider in its own words, which are sent to a caller with the same format. */
export interface OriginalError {
  /** The HTTP status; for an error within a successful response, the one that it stands for. */
  status: number;
  /** JSON. */
  body: string;
  /** Set if it is a part of a successful response that the caller receives as a whole. */
  isSent?: true;
}

/** Whether the caller receives the error as a part of the response, so that it is not sent again. */
export function isSent(error: GatewayError | null): boolean {
  return error instanceof StatedError && error.original?.isSent === true;
}

/** An error that the provider states, in a failed response or within a successful one. */
export class StatedError extends GatewayError {
  /** Set if the caller's format is the provider's, and the error is not about the gateway's credential. */
  readonly original: OriginalError | null;

  constructor(code: ErrorCode, details: GatewayErrorDetails, original: OriginalError | null = null) {
    super(code, details);
    this.original = original;
  }
}
