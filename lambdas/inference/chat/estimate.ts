/** Estimates the usage of a stream that ended before its provider reported it, from the text of request and response. */

import { objectOf, objectsIn, textOf } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { ChatRequest } from '../chat-request.ts';
import type { ResponseFacts, StreamFacts } from '../providers/provider.ts';

/** Of English text; in other languages a token has fewer. */
const bytesPerToken = 4;

/** What was read of a stream that did not end as it should have. */
export interface PartialResponse {
  facts: StreamFacts;
  /** Of the completion's text so far. */
  textBytes: number;
  request: Pick<ChatRequest, 'body'> | null;
}

/** `null` when the completion had not begun, or when the provider's own count covers all of it. */
export function estimateUsage({ facts, textBytes, request }: PartialResponse): ResponseFacts | null {
  if (!facts.started) return null;
  const { responseModel, finishReason, usage, reportedCostUsd, complete, error } = facts;
  const textTokens = tokensOf(textBytes);
  if (usage !== null) {
    const coversText = usage.outputTokens >= textTokens;
    if (complete || (error !== null && coversText)) return null;
    // The provider's own count covers all text so far, and so does a cost that it stated.
    if (coversText) return { responseModel, finishReason, usage, reportedCostUsd };
  }
  const reported = usage ?? { ...noUsage, freshInputTokens: tokensOf(requestBytes(request)) };
  return {
    responseModel,
    finishReason,
    usage: { ...reported, outputTokens: textTokens },
    reportedCostUsd: null,
  };
}

function tokensOf(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** The text of the messages alone: the tokens of images and other files do not follow from their bytes. */
function requestBytes(request: PartialResponse['request']): number {
  const texts = objectsIn(request?.body.messages).flatMap((message) => [
    textOf(message.content),
    ...objectsIn(message.content).map(({ text }) => textOf(text)),
    ...objectsIn(message.tool_calls).map((call) => textOf(objectOf(call.function).arguments)),
  ]);
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Counts the text in the chunks of a stream without decoding them. It runs for every chunk. */
export interface TextCounter {
  /** Takes whole events in OpenAI's format. */
  add(events: Buffer): void;
  /** In UTF-8, escapes resolved. */
  readonly bytes: number;
}

/**
 * The ends of the keys that text stands behind: `content` and `reasoning_content`, `reasoning`, the `arguments` of
 * calls, `refusal`. Quotes inside a string are escaped, so no text can look like these.
 */
const keys = ['content":', 'reasoning":', 'arguments":', 'refusal":'].map((key) => Buffer.from(key));

const space = 0x20;
const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

export function createTextCounter(): TextCounter {
  let bytes = 0;
  return {
    add(events) {
      for (const key of keys) {
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

/** The length of the string that begins there; 0 for any other value. */
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

/** The bytes of a UTF-16 unit in UTF-8; the two halves of a surrogate pair make four. */
function utf8Bytes(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
}
