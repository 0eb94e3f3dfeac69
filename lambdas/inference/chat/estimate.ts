/**
 * Completes the usage of a request whose provider may have charged for more than it reported, from the texts of request and
 * response.
 */

import { filterObjects, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { inputTokens, noUsage, type TokenUsage, withMissing } from '#lambdas/pricing/usage.ts';
import type { ChatRequest } from '../chat-request.ts';
import { noFacts, type ReaderFacts, type ResponseFacts, StatedError } from '../providers/provider.ts';

/** A common average for English text; other languages have fewer bytes per token. */
const bytesPerToken = 4;

type EstimatedRequest = Pick<ChatRequest, 'body'> | null;

export interface KnownFacts {
  facts: ResponseFacts;
  isUsageEstimated: boolean;
}

/** The estimate for a request that was sent, while nothing is known about its response. */
export function estimateInput(request: EstimatedRequest): KnownFacts {
  return { facts: { ...noFacts, usage: { ...noUsage, ...inputOf(request) } }, isUsageEstimated: true };
}

interface ReceivedResponse {
  facts: ReaderFacts;
  /** Counts the text received, in UTF-8: only for a response whose own usage is not final. */
  textBytes(): number;
  request: EstimatedRequest;
  /** True when a hard budget holds a reservation, which a cost that is not final must not replace. */
  isReserved: boolean;
}

/**
 * Keeps the usage that the provider reported if it is final, and its absence if nothing is charged. Counts of 0 are no usage.
 * Beside output, an input of 0 is missing if the prompt is not empty; an output of 0 is missing if text was received.
 */
export function completeUsage(response: ReceivedResponse): KnownFacts {
  const { textBytes, request, isReserved } = response;
  const facts = withMissingInput(response.facts, request);
  const { started, ended, finished: _, continued: __, error, unitCounts, textBytes: ___, ...known } = facts;
  const { usage, reportedCostUsd } = known;
  const final = { facts: known, isUsageEstimated: false };
  const estimated = (changes: Partial<ResponseFacts>) => ({
    facts: { ...known, ...changes },
    isUsageEstimated: true,
  });
  if (ended && usage !== null && usage.outputTokens > 0) return final;
  const textTokens = estimateTokens(facts.textBytes ?? textBytes());
  const isRefused = error instanceof StatedError && !started;
  if (isRefused && textTokens === 0) return final;

  if (usage === null || inputTokens(usage) + usage.outputTokens === 0) {
    if (ended && isFree(known, textTokens)) return final;
    const { missing: ____, ...counts } = { ...noUsage, ...usage, ...unitCounts };
    return estimated({
      usage: { ...counts, ...inputOf(request), outputTokens: textTokens },
      billedParts: null,
      reportedCostUsd: ended ? reportedCostUsd : null,
    });
  }
  if (ended) {
    if (textTokens === 0 || isBlocked(known)) return final;
    return { ...final, facts: { ...known, usage: withMissing(usage, ['output_tokens']), billedParts: null } };
  }
  if (usage.outputTokens < textTokens) {
    const { missing = [], ...counts } = usage;
    const covering = { ...counts, outputTokens: textTokens };
    const others = missing.filter((kind) => kind !== 'output_tokens');
    return estimated({ usage: withMissing(covering, others), billedParts: null, reportedCostUsd: null });
  }
  // The reported usage covers all received text, and so does a reported cost; there may be more to it that was not received.
  if (isReserved) return estimated({ reportedCostUsd: null });
  return error instanceof StatedError ? final : estimated({});
}

function withMissingInput(facts: ReaderFacts, request: EstimatedRequest): ReaderFacts {
  const { usage } = facts;
  if (usage === null || usage.outputTokens === 0 || inputTokens(usage) > 0) return facts;
  if (!hasPrompt(request)) return facts;
  return { ...facts, usage: withMissing(usage, ['input_tokens']), billedParts: null };
}

/** True if the prompt has a text or an attachment, which each have tokens. */
function hasPrompt(request: EstimatedRequest): boolean {
  const parts = () => filterObjects(request?.body.messages).flatMap(({ content }) => filterObjects(content));
  return requestBytes(request) > 0 || parts().some(({ type }) => type !== 'text');
}

/** True when the model did not begin to answer. What the response states is then right: a text is that of the filter. */
function isFree(facts: ResponseFacts, textTokens: number): boolean {
  const { usage, reportedCostUsd } = facts;
  if (isBlocked(facts) && (usage !== null || reportedCostUsd !== null)) return true;
  return textTokens === 0 && (isBlocked(facts) || reportedCostUsd !== null);
}

function isBlocked({ finishReason }: ResponseFacts): boolean {
  return finishReason === 'content_filter';
}

function inputOf(request: EstimatedRequest): Pick<TokenUsage, 'freshInputTokens'> {
  return { freshInputTokens: estimateTokens(requestBytes(request)) };
}

export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** Counts the text of the messages only: the size of an image or file says nothing about its tokens. */
function requestBytes(request: EstimatedRequest): number {
  let bytes = 0;
  const count = (text: unknown) => {
    bytes += Buffer.byteLength(stringOrEmpty(text));
  };
  for (const { content, tool_calls } of filterObjects(request?.body.messages)) {
    count(content);
    for (const { text } of filterObjects(content)) count(text);
    for (const call of filterObjects(tool_calls)) count(objectOrEmpty(call.function).arguments);
  }
  return bytes;
}

/** Counts the text in the chunks of a stream without decoding them, since it runs for every chunk. */
interface TextCounter {
  /** Expects complete events in OpenAI's format. */
  add(events: Buffer): void;
  /** The size of the text in UTF-8, with JSON escapes resolved. */
  readonly bytes: number;
}

/**
 * The ends of the keys whose values are text: `content`, `reasoning_content`, `reasoning`, `arguments` of a tool call,
 * `refusal`. They cannot match inside a string, where quotes are escaped.
 */
const textKeys = ['content":', 'reasoning":', 'arguments":', 'refusal":'].map((key) => Buffer.from(key));

const space = 0x20;
const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

export function createTextCounter(): TextCounter {
  let bytes = 0;
  return {
    add(events) {
      for (const key of textKeys) {
        for (let at = events.indexOf(key); at !== -1; at = events.indexOf(key, at + 1)) {
          bytes += textBytes(events, at + key.length);
        }
      }
    },
    get bytes() {
      return bytes;
    },
  };
}

/** Returns the size of the string that begins at `start`; 0 for any other value. */
function textBytes(events: Buffer, start: number): number {
  let at = start;
  while (events[at] === space) at++;
  if (events[at] !== quote) return 0;
  let bytes = 0;
  for (at++; at < events.length && events[at] !== quote; at++) {
    if (events[at] !== backslash) bytes++;
    else if (events[at + 1] === letterU) {
      bytes += utf8Bytes(Number.parseInt(events.toString('latin1', at + 2, at + 6), 16));
      at += 5;
    } else {
      bytes++;
      at++;
    }
  }
  return bytes;
}

/** Returns the UTF-8 size of a UTF-16 code unit; the two halves of a surrogate pair count two bytes each. */
function utf8Bytes(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
}
