/** Forwards a stream in OpenAI's format, normalizes chunks that would break clients, and collects the facts for the log. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { sseComment } from '#lambdas/platform/http/event-stream.ts';
import { parseJson, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { createSseSplitter, sseDone } from '../http/sse.ts';
import type { ResponseReader } from '../provider.ts';
import {
  isCompleteEvent,
  joinEvents,
  readEventPayload,
  unreadableEventError,
  withBlankLine,
} from '../translation/event-payload.ts';
import { emptyResponseError } from '../translation/response-reader.ts';
import { createBillingReader, type ReaderContext } from './billing.ts';
import { createChunkNormalizer, type ParsedChunk } from './normalize-chunk.ts';
import { findError, isUsageChunk } from './response-facts.ts';
import { createTextDeltaMatcher, type TextDeltaMatcher } from './text-delta-matcher.ts';

const noEvents: readonly Buffer[] = [];

export function createOpenAiStreamReader({ origin, call, facts }: ReaderContext): ResponseReader {
  const splitter = createSseSplitter();
  const matcher = createTextDeltaMatcher();
  const chunks = createChunkReader({ origin, call, facts }, matcher);
  const isOver = () => facts.error !== null || facts.ended;

  const readEvent = (event: Buffer): readonly Buffer[] => {
    if (isOver()) return noEvents;
    if (matcher.matches(event)) return [event];
    const payload = readEventPayload(event, parseJson);
    switch (payload.kind) {
      case 'comment':
        return [endsWithReturn(event) ? sseComment : event];
      case 'ping':
        return [sseComment];
      case 'empty':
        return noEvents;
      case 'done':
        return chunks.done();
      case 'payloads':
        return payload.payloads.flatMap(({ data: chunk, text }) => {
          const isIntact = payload.isData && !endsWithReturn(event);
          return chunks.read({ chunk, data: text, event: isIntact ? event : dataEvent(text) }, payload.type);
        });
      case 'unreadable':
        // After the finish reason, nothing of the answer can be lost.
        if (facts.finished) return noEvents;
        throw unreadableEventError(origin.provider);
      default:
        return payload satisfies never;
    }
  };
  /** Returns what was read before an error, which becomes that of the facts. */
  const collect = (read: (bytes: Buffer[]) => void): Buffer => {
    const bytes: Buffer[] = [];
    try {
      read(bytes);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      facts.error = error;
    }
    return joinEvents(bytes);
  };

  return {
    facts,
    push(chunk) {
      // Most chunks are a single event that only adds text.
      if (splitter.isBetweenEvents && !isOver() && matcher.matches(chunk)) return chunk;
      return collect((bytes) => {
        for (const event of splitter.push(chunk)) bytes.push(...readEvent(event));
      });
    },
    end: () =>
      collect((bytes) => {
        const rest = splitter.rest();
        if (isCompleteEvent(rest)) bytes.push(...readEvent(withBlankLine(rest)));
        if (isOver()) return;
        if (facts.finished) bytes.push(...chunks.done());
        else if (!facts.started) facts.error = emptyResponseError(origin.provider);
      }),
  };
}

interface ChunkReader {
  /** Throws a `GatewayError` if the chunk is an error. */
  read(parsed: ParsedChunk, type: string): readonly Buffer[];
  /** Ends the stream. Throws a `GatewayError` if nothing was completed. */
  done(): readonly Buffer[];
}

function createChunkReader({ origin, call, facts }: ReaderContext, matcher: TextDeltaMatcher): ChunkReader {
  const normalizer = createChunkNormalizer(call, facts);
  const billing = createBillingReader(origin, origin.model);
  const throwFailure = () => {
    if (facts.error !== null) throw facts.error;
  };
  return {
    read(parsed, type) {
      const { chunk, event } = parsed;
      const { serviceTier } = facts;
      const hasUsage = billing.read(chunk);
      Object.assign(facts, billing.facts());
      // A text chunk with an earlier tier must not match, since it may change the tier back.
      if (facts.serviceTier !== serviceTier) matcher.forget();
      facts.unitCounts = billing.unitCounts();
      facts.responseModel ??= stringOrEmpty(chunk.model) || null;
      facts.error = findError(chunk, origin, type);
      throwFailure();
      if (!isUsageChunk(chunk) && normalizer.hold(parsed)) return noEvents;
      const released = normalizer.release(chunk);
      const isUnrequested = isUsageChunk(chunk) && !call.request.includeUsage;
      const normalized = isUnrequested ? null : normalizer.normalize(parsed, billing.reportedUsage());
      throwFailure();
      const events = normalized === null ? released : [...released, normalized];
      facts.started ||= events.length > 0;
      if (normalized !== event) matcher.forget();
      // Content after a finish reason must be noticed.
      else if (!hasUsage && facts.finishReason === null) matcher.learn(event, chunk);
      return events;
    },
    done() {
      const finish = normalizer.finish();
      throwFailure();
      if (facts.finishReason === null) throw emptyResponseError(origin.provider);
      facts.started = true;
      facts.finished = true;
      facts.ended = true;
      return [...finish, sseDone];
    },
  };
}

/** Data in several lines is one line of JSON, since a line break in a string would be escaped. */
function dataEvent(text: string): Buffer {
  return Buffer.from(`data: ${text.replaceAll('\n', ' ')}\n\n`);
}

/** Few clients know that a line can end with CR alone. */
function endsWithReturn(event: Buffer): boolean {
  return event.at(-1) === 0x0d;
}
