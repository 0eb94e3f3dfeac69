/** Estimates the usage of a stream that ended before the provider reported it, from the text of request and response. */

import { filterObjects, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { ChatRequest } from '../chat-request.ts';
import type { ReaderFacts, ResponseFacts } from '../providers/provider.ts';

/** A common average for English text; other languages have fewer bytes per token. */
const bytesPerToken = 4;

export interface PartialResponse {
  facts: ReaderFacts;
  textBytes: number;
  request: Pick<ChatRequest, 'body'> | null;
}

/** Returns `null` when the completion had not started, or when the usage that the provider reported is final. */
export function estimateUsage({ facts, textBytes, request }: PartialResponse): ResponseFacts | null {
  const { started, ended, finished: _, error, unitCounts, textBytes: __, ...responseFacts } = facts;
  const { usage } = responseFacts;
  if (!started) return null;
  const textTokens = estimateTokens(textBytes);
  if (usage !== null) {
    const coversText = usage.outputTokens >= textTokens;
    if (ended || (error !== null && coversText)) return null;
    // The reported usage covers all received text, and so does a reported cost.
    if (coversText) return responseFacts;
  }
  const reported = usage ?? {
    ...noUsage,
    ...unitCounts,
    freshInputTokens: estimateTokens(requestBytes(request)),
  };
  return {
    ...responseFacts,
    usage: { ...reported, outputTokens: textTokens },
    billedParts: null,
    reportedCostUsd: null,
  };
}

function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** Counts the text of the messages only: the size of an image or file says nothing about its tokens. */
function requestBytes(request: PartialResponse['request']): number {
  const texts = filterObjects(request?.body.messages).flatMap((message) => [
    stringOrEmpty(message.content),
    ...filterObjects(message.content).map(({ text }) => stringOrEmpty(text)),
    ...filterObjects(message.tool_calls).map((call) => stringOrEmpty(objectOrEmpty(call.function).arguments)),
  ]);
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Counts the text in the chunks of a stream without decoding them, since it runs for every chunk. */
export interface TextCounter {
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
